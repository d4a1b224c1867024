import type { SessionId, SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { recordSecurity } from '../../shared/audit/security-log.ts'
import { recordRevoked } from '../../shared/events/record-event.ts'
import { endTrustOf } from '../../shared/factors/factors.store.ts'
import { endDisownedLogins } from '../../shared/oidc/ends.store.ts'
import { forgetBrowser } from '../../shared/sessions/known-browsers.store.ts'
import { disownSession, endSessionsIn, livesIn } from './security.store.ts'

export interface Disowned {
  id: SessionId
  /** Of the browser that disowns. */
  address: string
  /** Its own session, where it has one. */
  current?: SessionId
  /** Whether the account forgets the browser. */
  forget: boolean
}

/**
 * A sign-in that wasn't the user's, under the user's lock: the session ends, and so does every other session in its
 * browser. The browser that disowns is left alone. Answers which sessions ended; idempotent.
 */
export async function disown(
  tx: Db,
  siteId: SiteId,
  userId: UserId,
  { id, address, current, forget }: Disowned,
): Promise<SessionId[]> {
  const disowned = await disownSession(tx, siteId, userId, id)
  if (!disowned) return []
  await recordSecurity(tx, siteId, { event: 'login.disowned', userId, address, detail: { session: id } })
  const { browserHash } = disowned
  await endTrustOf(tx, siteId, userId, id)
  const ended = [id]
  if (browserHash && !(current && (await livesIn(tx, siteId, userId, current, browserHash)))) {
    if (forget) await forgetBrowser(tx, siteId, userId, browserHash)
    ended.push(...(await endSessionsIn(tx, siteId, userId, browserHash)))
  }
  await recordRevoked(tx, siteId, userId, ended, 'disowned')
  await endDisownedLogins(tx, siteId, userId, ended)
  return ended
}
