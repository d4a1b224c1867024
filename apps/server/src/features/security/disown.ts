import type { SessionId, SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { recordSecurity } from '../../shared/audit/security-log.ts'
import { forgetBrowser } from '../../shared/sessions/known-browsers.store.ts'
import { disownSession, endSessionsIn, livesIn } from './security.store.ts'

export interface Disowned {
  id: SessionId
  /** Of whoever says so. */
  address: string
  /** Their own session, where they have one. */
  current?: SessionId
  /** Whether the account forgets the browser. */
  forget: boolean
}

/**
 * A sign-in that wasn't the person's, while their row is held: the session is over, and so is everything else in its
 * browser. The browser in which somebody says so stays as it is. Answers which sessions ended; said again it records
 * nothing.
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
  if (!browserHash || (current && (await livesIn(tx, siteId, userId, current, browserHash)))) return [id]
  if (forget) await forgetBrowser(tx, siteId, userId, browserHash)
  return [id, ...(await endSessionsIn(tx, siteId, userId, browserHash))]
}
