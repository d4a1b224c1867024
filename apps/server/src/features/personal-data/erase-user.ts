import type { SessionId, SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Deps } from '../../shared/deps.ts'
import { recordEvent } from '../../shared/events/record-event.ts'
import { endEveryLogin, queueLogouts } from '../../shared/oidc/ends.store.ts'
import { deleteUser } from '../users/user-list-index.store.ts'
import {
  deleteRows,
  dropOldFiles,
  forgetAddresses,
  holdLiveSessions,
  holdWhose,
  lockRows,
} from './personal-data.store.ts'
import { personalTables } from './personal-data.ts'
import { sealSignIns } from './sealed.service.ts'

/** Tables to which operators, or their jobs, may be adding rows at this moment. */
const growing = ['feedback', 'user_export']

/**
 * Erases a user, in the caller's transaction and under the user's lock: what the law requires is sealed first, then
 * every row of the list goes. Answers the sessions to invalidate after the commit; undefined when there is no such
 * user.
 */
export async function eraseUser(
  tx: Db,
  { config }: Pick<Deps, 'config'>,
  siteId: SiteId,
  userId: UserId,
): Promise<SessionId[] | undefined> {
  const whose = await holdWhose(tx, siteId, userId)
  if (!whose) return undefined
  for (const table of personalTables) if (growing.includes(table.table)) await lockRows(tx, table, whose)
  const sessions = await holdLiveSessions(tx, whose)
  const logins = await endEveryLogin(tx, siteId, userId)
  await sealSignIns(tx, config.keys, whose)
  await forgetAddresses(tx, whose)
  await dropOldFiles(tx)
  for (const table of personalTables.toReversed()) {
    if (table.table === 'users') await deleteUser(tx, siteId, userId)
    else await deleteRows(tx, table, whose)
  }
  // Last: jobs and events about the user are among the rows above. This one has no subject, so it outlives them.
  await queueLogouts(tx, siteId, userId, logins)
  await recordEvent(tx, siteId, { type: 'user.deleted', subject: undefined, id: userId })
  return sessions
}
