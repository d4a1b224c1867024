import type { SiteId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { decide } from './decide-batch.ts'
import type { ImportedUser, Refusal } from './imported-user.ts'
import { findTaken, findTakenIds } from './users-import.store.ts'

export const namesOf = (users: ImportedUser[]) => ({
  kinds: users.flatMap(({ names }) => names.map(({ kind }) => kind)),
  values: users.flatMap(({ names }) => names.map(({ value }) => value)),
})

/** Ids that the file names. */
export const namedIds = (users: ImportedUser[]): string[] => users.filter(({ named }) => named).map(({ id }) => id)

/** What of a batch can be inserted, as the site is now. */
export async function decideOnSite(
  db: Db,
  siteId: SiteId,
  users: ImportedUser[],
): Promise<{ accepted: ImportedUser[]; refusals: Refusal[] }> {
  const taken = await findTaken(db, siteId, namesOf(users))
  const ids = await findTakenIds(db, siteId, namedIds(users))
  return decide(users, taken, ids)
}
