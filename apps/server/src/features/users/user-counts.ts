import type { SiteId } from '../../platform/ids.ts'
import type { Deps } from '../../shared/deps.ts'
import { afterAll, beforeAll, countBetween, type Key } from './user-list-index.store.ts'
import { type Anchors, anchorsOf, findMoment, sealedCount, sealedEnd } from './user-list-index.ts'

type Counting = Pick<Deps, 'pool' | 'clock' | 'log'>

/** People in none of the known buckets. */
export async function countTail(deps: Counting, siteId: SiteId, anchors: Anchors): Promise<number> {
  const tail = await countBetween(deps.pool, siteId, sealedEnd(anchors), afterAll)
  anchorsOf(deps).noteTail(siteId, anchors, tail)
  return tail
}

/** All people of a site. */
export async function countUsers(deps: Counting, siteId: SiteId): Promise<number> {
  const anchors = await anchorsOf(deps).of(siteId)
  return sealedCount(anchors) + (await countTail(deps, siteId, anchors))
}

/** People who came at or after a moment, in epoch milliseconds. */
export async function countSince(deps: Counting, siteId: SiteId, time: number): Promise<number> {
  const anchors = await anchorsOf(deps).of(siteId)
  const since: Key = { ...beforeAll, time: time * 1000 }
  const place = findMoment(anchors, since.time)
  if (!place) return await countBetween(deps.pool, siteId, since, afterAll)
  const [within, tail] = await Promise.all([
    countBetween(deps.pool, siteId, since, place.within),
    countBetween(deps.pool, siteId, sealedEnd(anchors), afterAll),
  ])
  return within + place.newer + tail
}
