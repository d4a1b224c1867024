import type { Pool } from 'pg'
import type { SiteId } from '../../platform/ids.ts'
import type { Deps } from '../../shared/deps.ts'
import { type Bucket, beforeAll, type Key, readBuckets } from './user-list-index.store.ts'

type Needs = Pick<Deps, 'pool' | 'clock' | 'log'>

/** Renewed in the background after this age, and awaited after that one. */
const agedAfter = 5 * 60_000
const oldAfter = 10 * 60_000
/** With more users in no known bucket than this, the index is renewed sooner. */
const longTail = 4_096
const soonest = 10_000

/** The closed buckets of a site as one process has cached them, oldest first. */
export interface UserListIndex {
  /** The newest key of each. */
  ends: readonly Key[]
  /** Users in the buckets before each, and in all of them at the end. */
  before: readonly number[]
  /** How many users were in none of them at the last count. */
  tail?: number
}

export const closedCount = ({ before }: UserListIndex): number => before.at(-1) ?? 0
export const closedEnd = ({ ends }: UserListIndex): Key => ends.at(-1) ?? beforeAll

function indexFrom(buckets: Bucket[]): UserListIndex {
  const before = [0]
  for (const { count } of buckets) before.push((before.at(-1) ?? 0) + count)
  return { ends: buckets.map(({ time, id }) => ({ time, id })), before }
}

/** The first index at which the test holds; the length where it never does. */
function firstIndex(length: number, holds: (index: number) => boolean): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/** Where to begin reading backwards for the n-th newest user of the buckets: a key, and how many to skip from it. */
export function findPosition(index: UserListIndex, nth: number): { from: Key; pass: number } | undefined {
  const { ends, before } = index
  const fromOldest = closedCount(index) - 1 - nth
  if (fromOldest < 0) return undefined
  const bucket = firstIndex(ends.length, (at) => (before[at + 1] ?? 0) > fromOldest)
  const from = ends[bucket]
  return from && { from, pass: (before[bucket + 1] ?? 0) - 1 - fromOldest }
}

/** The bucket that a moment falls into, and how many are in the newer ones; undefined for one after all buckets. */
export function findMoment({ ends, before }: UserListIndex, time: number): { within: Key; newer: number } | undefined {
  const bucket = firstIndex(ends.length, (at) => (ends[at]?.time ?? 0) >= time)
  const within = ends[bucket]
  return within && { within, newer: (before.at(-1) ?? 0) - (before[bucket + 1] ?? 0) }
}

interface Entry {
  index: UserListIndex
  readAt: number
  askedAt: number
}

export interface UserListIndexes {
  of(siteId: SiteId): Promise<UserListIndex>
  /** Notes how many users are in none of these. */
  noteTail(siteId: SiteId, index: UserListIndex, tail: number): void
}

export function createUserListIndexes({ pool, clock, log }: Needs): UserListIndexes {
  const known = new Map<SiteId, Entry>()
  const reading = new Map<SiteId, Promise<UserListIndex>>()

  async function read(siteId: SiteId): Promise<UserListIndex> {
    const readAt = clock.now()
    const index = indexFrom(await readBuckets(pool, siteId))
    known.set(siteId, { index, readAt, askedAt: readAt })
    for (const [other, { askedAt }] of known) if (readAt - askedAt > oldAfter) known.delete(other)
    return index
  }

  /** One read of a site at a time; parallel callers share it. */
  function renew(siteId: SiteId): Promise<UserListIndex> {
    const going = reading.get(siteId) ?? read(siteId).finally(() => reading.delete(siteId))
    reading.set(siteId, going)
    return going
  }

  function renewBehind(siteId: SiteId): void {
    renew(siteId).catch((error) =>
      log.warn({ err: error }, 'the user list index could not be read; the cached one serves'),
    )
  }

  return {
    async of(siteId) {
      const entry = known.get(siteId)
      const now = clock.now()
      if (!entry || now - entry.readAt >= oldAfter) return await renew(siteId)
      entry.askedAt = now
      if (now - entry.readAt >= agedAfter) renewBehind(siteId)
      return entry.index
    },
    noteTail(siteId, index, tail) {
      index.tail = tail
      const entry = known.get(siteId)
      if (entry && tail > longTail && clock.now() - entry.readAt >= soonest) renewBehind(siteId)
    },
  }
}

const made = new WeakMap<Pool, UserListIndexes>()

/** One for each database that the process uses. */
export function userListIndexOf(deps: Needs): UserListIndexes {
  const found = made.get(deps.pool) ?? createUserListIndexes(deps)
  made.set(deps.pool, found)
  return found
}
