import type { SessionId, SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Deps } from '../deps.ts'
import { invalidateSessions, invalidateUser } from './sessions.ts'

type Needs = Pick<Deps, 'db' | 'cache'>

/** A change in a transaction. It reports the sessions that it ends or renews. */
type Change<Result> = (tx: Db, report: (sessions: SessionId[]) => void) => Promise<Result>

/**
 * Changes a user in a transaction. After the commit, and before the answer, the cached user is invalidated in every
 * process, and then the reported sessions. A change that fails invalidates nothing. Without Redis the change stays
 * committed, and cached copies expire within 30 s.
 */
export async function changeUser<Result>(
  deps: Needs,
  siteId: SiteId,
  userId: UserId,
  change: Change<Result>,
): Promise<Result> {
  const { result, sessions } = await commit(deps, change)
  await invalidateUser(deps, siteId, userId)
  if (sessions) await invalidateSessions(deps, siteId, userId, sessions)
  return result
}

/** The same for a change of sessions alone: the cached user stays valid. */
export async function changeSessions<Result>(
  deps: Needs,
  siteId: SiteId,
  userId: UserId,
  change: Change<Result>,
): Promise<Result> {
  const { result, sessions } = await commit(deps, change)
  await invalidateSessions(deps, siteId, userId, sessions ?? [])
  return result
}

/** The sessions are undefined where the change reported none, not even an empty list. */
async function commit<Result>({ db }: Needs, change: Change<Result>) {
  let sessions: SessionId[] | undefined
  const report = (reported: SessionId[]) => {
    sessions = [...(sessions ?? []), ...reported]
  }
  const result = await db.transaction().execute((tx) => change(tx, report))
  return { result, sessions }
}
