import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import type { Clock } from './clock.ts'
import type { SiteId } from './ids.ts'
import type { Log } from './log.ts'

interface Counts {
  pages: number
  calls: number
}

export interface Usage {
  countPage(site: SiteId): void
  countCall(site: SiteId): void
  /** Writes what has been counted so far. */
  flush(): Promise<void>
  close(): Promise<void>
}

interface Batch {
  number: number
  byHour: Map<number, Map<SiteId, Counts>>
}

const hourOf = (time: number) => time - (time % 3_600_000)

/**
 * Sums in the process and flushes every 2 seconds. A batch keeps its number until it is written, so that one
 * repeated after a lost answer adds nothing; a killed process loses at most what it counted since the last flush.
 */
export function startUsage(pool: Pool, clock: Clock, log: Log): Usage {
  const process = randomUUID()
  let counting: Batch = { number: 1, byHour: new Map() }
  let waiting: Batch | undefined

  function counts(site: SiteId): Counts {
    const sites = mapIn(counting.byHour, hourOf(clock.now()))
    const found = sites.get(site)
    if (found) return found
    const none = { pages: 0, calls: 0 }
    sites.set(site, none)
    return none
  }

  async function writeOldest() {
    if (!waiting) {
      waiting = counting
      counting = { number: counting.number + 1, byHour: new Map() }
    }
    if (waiting.byHour.size > 0) await write(pool, process, waiting)
    waiting = undefined
  }

  // One at a time: two writers of the same batch could drop the one after it.
  let last: Promise<void> = Promise.resolve()
  function flush(): Promise<void> {
    last = last.catch(() => {}).then(writeOldest)
    return last
  }

  let timer: NodeJS.Timeout | undefined
  let closed = false
  const again = () => {
    if (closed) return
    timer = setTimeout(
      () =>
        void flush()
          .catch((error) => log.warn({ err: error }, 'usage waits to be written'))
          .then(again),
      2_000,
    )
    timer.unref()
  }
  again()

  return {
    countPage: (site) => void counts(site).pages++,
    countCall: (site) => void counts(site).calls++,
    flush,
    async close() {
      closed = true
      clearTimeout(timer)
      await flush()
      await flush()
    },
  }
}

function mapIn(byHour: Batch['byHour'], hour: number): Map<SiteId, Counts> {
  const found = byHour.get(hour)
  if (found) return found
  const empty = new Map<SiteId, Counts>()
  byHour.set(hour, empty)
  return empty
}

async function write(pool: Pool, process: string, batch: Batch): Promise<void> {
  const rows = [...batch.byHour].flatMap(([hour, sites]) =>
    [...sites].map(([site, counts]) => ({ site, hour, ...counts })),
  )
  await pool.query(
    `WITH flush AS (
       INSERT INTO usage_flush (process, number) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1
     )
     INSERT INTO usage_hour (site_id, hour, page_access, api_access)
     SELECT * FROM unnest($3::uuid[], $4::timestamptz[], $5::bigint[], $6::bigint[]) WHERE EXISTS (SELECT FROM flush)
     ON CONFLICT (site_id, hour) DO UPDATE
       SET page_access = usage_hour.page_access + excluded.page_access,
           api_access = usage_hour.api_access + excluded.api_access`,
    [
      process,
      batch.number,
      rows.map((row) => row.site),
      rows.map((row) => new Date(row.hour)),
      rows.map((row) => row.pages),
      rows.map((row) => row.calls),
    ],
  )
}
