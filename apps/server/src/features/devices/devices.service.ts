import type { SignedInDevice } from '@hufu/contract/devices'
import { AppError } from '../../core/app-error.ts'
import type { Deps } from '../../core/deps.ts'
import type { SessionId } from '../../core/ids.ts'
import { recordSecurity } from '../../core/security-log.ts'
import { listSessions } from '../../core/session-list.store.ts'
import { endOtherSessions, endSession, lookAtSession } from '../../core/sessions.store.ts'
import { burySession, type Caller } from '../../core/sessions.ts'
import type { Site } from '../../core/sites.ts'

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

/** Ends one of the person's own sessions; somebody else's is as unknown as one that never was. */
export async function removeDevice(
  deps: Needs,
  site: Site,
  { userId, session }: Caller,
  id: SessionId,
  address: string,
): Promise<void> {
  const reason = id === session.id ? 'logout' : 'removed'
  await deps.db.transaction().execute(async (tx) => {
    if (!(await endSession(tx, site.id, userId, id, reason))) throw new AppError('NOT_FOUND')
    await recordSecurity(tx, site.id, { event: 'session.remove', userId, address, detail: { session: id } })
  })
  await burySession(deps, site.id, userId, [id])
}

/** Ends all sessions but the caller's. Of two that end each other, one stays. */
export async function removeOtherDevices(
  deps: Needs,
  site: Site,
  { userId, session }: Caller,
  address: string,
): Promise<{ removed: number }> {
  const ended = await deps.db.transaction().execute(async (tx) => {
    const others = await endOtherSessions(tx, site.id, userId, session.id, 'removed')
    // Whoever was removed while waiting removes nobody.
    if (!(await lookAtSession(tx, site.id, userId, session.id))) throw new AppError('SESSION_REMOVED')
    await recordSecurity(tx, site.id, { event: 'session.removeAll', userId, address, detail: { sessions: others } })
    return others
  })
  await burySession(deps, site.id, userId, ended)
  return { removed: ended.length }
}
