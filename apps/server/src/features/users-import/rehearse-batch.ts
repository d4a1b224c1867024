import type { SiteId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { decide } from './decide-batch.ts'
import { namedIds, namesOf } from './decide-on-site.ts'
import type { ImportedUser, Refusal } from './imported-user.ts'
import { findRehearsed, findTaken, findTakenIds, rehearse } from './users-import.store.ts'

/** An id that the file names, as a name: two lines may have the same. */
const withIds = (users: ImportedUser[]) => {
  const { kinds, values } = namesOf(users)
  const ids = namedIds(users)
  return { kinds: [...kinds, ...ids.map(() => 'id')], values: [...values, ...ids] }
}

/** What a batch would come to after the earlier ones of a dry run. */
export async function decideInRehearsal(
  db: Db,
  siteId: SiteId,
  users: ImportedUser[],
): Promise<{ accepted: ImportedUser[]; refusals: Refusal[] }> {
  const [onSite, earlier] = [await findTaken(db, siteId, namesOf(users)), await findRehearsed(db, withIds(users))]
  const ids = await findTakenIds(db, siteId, namedIds(users))
  const earlierIds = new Map(
    earlier.flatMap(({ kind, value, first }) => ((kind as string) === 'id' ? [[value, first ?? 0]] : [])),
  )
  const decided = decide(users, [...onSite, ...earlier], ids, earlierIds)
  await rehearse(db, withIds(decided.accepted), [
    ...decided.accepted.flatMap(({ line, names }) => names.map(() => line)),
    ...decided.accepted.filter(({ named }) => named).map(({ line }) => line),
  ])
  return decided
}
