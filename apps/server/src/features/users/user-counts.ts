import type { SiteId } from '../../platform/ids.ts'
import type { Deps } from '../../shared/deps.ts'
import { afterAll, beforeAll, countBetween, type Key } from './user-list-index.store.ts'
import { closedCount, closedEnd, findMoment, type UserListIndex, userListIndexOf } from './user-list-index.ts'

type Counting = Pick<Deps, 'pool' | 'clock' | 'log'>

/** Users in none of the known buckets. */
export async function countTail(deps: Counting, siteId: SiteId, index: UserListIndex): Promise<number> {
  const tail = await countBetween(deps.pool, siteId, closedEnd(index), afterAll)
  userListIndexOf(deps).noteTail(siteId, index, tail)
  return tail
}

/** All users of a site. */
export async function countUsers(deps: Counting, siteId: SiteId): Promise<number> {
  const index = await userListIndexOf(deps).of(siteId)
  return closedCount(index) + (await countTail(deps, siteId, index))
}

/** Users who registered at or after a moment, in epoch milliseconds. */
export async function countSince(deps: Counting, siteId: SiteId, time: number): Promise<number> {
  const index = await userListIndexOf(deps).of(siteId)
  const since: Key = { ...beforeAll, time: time * 1000 }
  const position = findMoment(index, since.time)
  if (!position) return await countBetween(deps.pool, siteId, since, afterAll)
  const [within, tail] = await Promise.all([
    countBetween(deps.pool, siteId, since, position.within),
    countBetween(deps.pool, siteId, closedEnd(index), afterAll),
  ])
  return within + position.newer + tail
}
