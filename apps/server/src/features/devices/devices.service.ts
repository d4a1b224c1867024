import type { SignedInDevice } from '@hufu/contract/devices'
import { AppError } from '../../platform/app-error.ts'
import type { SessionId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { recordSecurity } from '../../shared/audit/security-log.ts'
import type { Deps } from '../../shared/deps.ts'
import { endTrust, endTrustOf } from '../../shared/factors/factors.store.ts'
import { changeSessions } from '../../shared/sessions/change-user.ts'
import { forgetBrowserOf, forgetOtherBrowsers } from '../../shared/sessions/known-browsers.store.ts'
import { listSessions } from '../../shared/sessions/session-list.store.ts'
import { endOtherSessions, endSession, lookAtSession } from '../../shared/sessions/sessions.store.ts'
import type { Caller } from '../../shared/sessions/sessions.ts'
import type { Site } from '../../shared/sites/sites.ts'

type Needs = Pick<Deps, 'db' | 'cache'>

export async function listDevices(
  { db }: Pick<Deps, 'db'>,
  site: Site,
  { userId, session }: Caller,
  page: { top: number; skip: number },
): Promise<{ count: number; data: SignedInDevice[] }> {
  const { count, data } = await listSessions(db, site.id, userId, page)
  return { count, data: data.map((device) => ({ ...device, current: device.id === session.id })) }
}

/**
 * Ends one of the user's own sessions and forgets its browser; a session of another user is answered like an unknown
 * one. Signing out forgets nothing, and neither does a removal from a browser that is new to the account itself.
 */
export async function removeDevice(
  deps: Needs,
  site: Site,
  { userId, session }: Caller,
  id: SessionId,
  address: string,
): Promise<void> {
  const reason = id === session.id ? 'logout' : 'removed'
  await changeSessions(deps, site.id, userId, async (tx, ended) => {
    if (!(await endSession(tx, site.id, userId, id, reason))) throw new AppError('NOT_FOUND')
    if (id !== session.id && !(await inNewBrowser(tx, site, userId, session.id)))
      await forgetBrowserOf(tx, site.id, userId, id, session.id)
    await endTrustOf(tx, site.id, userId, id)
    await recordSecurity(tx, site.id, { event: 'session.remove', userId, address, detail: { session: id } })
    ended([id])
  })
}

async function inNewBrowser(tx: Db, site: Site, userId: UserId, id: SessionId): Promise<boolean> {
  const held = await lookAtSession(tx, site.id, userId, id)
  // A session that was removed while it waited removes none.
  if (!held) throw new AppError('SESSION_REMOVED')
  return held.newBrowser
}

/**
 * Ends all sessions but the caller's, and forgets all other browsers as above. Of two that end each other, one stays.
 */
export async function removeOtherDevices(
  deps: Needs,
  site: Site,
  { userId, session }: Caller,
  address: string,
): Promise<{ removed: number }> {
  const removed = await changeSessions(deps, site.id, userId, async (tx, ended) => {
    const others = await endOtherSessions(tx, site.id, userId, session.id, 'removed')
    if (!(await inNewBrowser(tx, site, userId, session.id))) await forgetOtherBrowsers(tx, site.id, userId, session.id)
    await endTrust(tx, site.id, userId)
    await recordSecurity(tx, site.id, { event: 'session.removeAll', userId, address, detail: { sessions: others } })
    ended(others)
    return others.length
  })
  return { removed }
}
