import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import type { Clock } from '../../platform/clock.ts'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import { sinceLast } from '../../platform/metrics/metrics.ts'
import { repeatEvery } from '../../platform/repeat-every.ts'
import { writeUsage } from './usage.store.ts'
import { type Batch, type Counts, type Crowd, countsIn, type LoginStep, newBatch } from './usage-batch.ts'

export interface Usage {
  countPage(site: SiteId): void
  countCall(site: SiteId): void
  /** A signed-in user made a call. */
  countAccess(site: SiteId, user: UserId): void
  /** A sign-in or an authorize was completed. */
  countAuthorized(site: SiteId, user: UserId): void
  countStep(site: SiteId, step: LoginStep): void
  /** Writes what has been counted so far. */
  flush(): Promise<void>
  close(): Promise<void>
}

const written = sinceLast('hufu_usage_age_seconds', 'How long ago everything counted until then was written.')

/** A little under two seconds, so that with the write no more than two are lost. */
const flushEvery = 1_800

/** Far more than come between two flushes. During a longer outage of PostgreSQL, further users are not counted. */
const mostUsers = 200_000

/**
 * Sums in the process and flushes every 2 seconds. A batch keeps its number until it is written, so that one repeated
 * after a lost answer adds nothing; a killed process loses at most what it counted since the last flush.
 */
export function startUsage(pool: Pool, clock: Clock, log: Log): Usage {
  const process = randomUUID()
  let counting: Batch = newBatch(1)
  let waiting: Batch | undefined

  const counts = (site: SiteId): Counts => countsIn(counting, site, clock.now())

  function remember({ crowds }: Counts, crowd: Crowd, user: UserId) {
    const known = crowds[crowd]
    if (counting.users > mostUsers || known.has(user)) return
    if (counting.users++ < mostUsers) known.add(user)
    else log.warn({ users: mostUsers }, 'usage waits too long to be written; further users are not counted')
  }

  async function writeOldest() {
    if (!waiting) {
      waiting = counting
      counting = newBatch(counting.number + 1)
    }
    if (waiting.byHour.size > 0) await writeUsage(pool, process, waiting)
    waiting = undefined
    written.done()
  }

  // One at a time: two writers of the same batch could drop the one after it.
  let last: Promise<void> = Promise.resolve()
  function flush(): Promise<void> {
    last = last.catch(() => {}).then(writeOldest)
    return last
  }

  const flushing = repeatEvery(flushEvery, () =>
    flush().catch((error) => log.warn({ err: error }, 'usage waits to be written')),
  )

  return {
    countPage: (site) => void counts(site).counters.pages++,
    countCall: (site) => void counts(site).counters.calls++,
    countStep: (site, step) => void counts(site).counters[step]++,
    countAccess: (site, user) => remember(counts(site), 'accessed', user),
    countAuthorized(site, user) {
      const here = counts(site)
      here.counters.authorizations++
      remember(here, 'authorized', user)
    },
    flush,
    async close() {
      flushing.stop()
      await flush()
      await flush()
    },
  }
}
