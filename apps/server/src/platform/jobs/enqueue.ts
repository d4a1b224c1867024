import { sql } from 'kysely'
import type { SiteId } from '../ids.ts'
import type { Db } from '../postgres/db.ts'

interface EnqueueOptions {
  /** Retries after a failure, each later than the one before; five unless said otherwise. */
  retries?: number
  /** Seconds before the first retry. */
  retryDelay?: number
  /** Seconds that one try may last; 120 unless said otherwise. */
  timeout?: number
  /** Seconds before it may run. */
  delay?: number
  /** The queue for those that have failed for the last time. */
  deadLetter?: string
}

/**
 * Queues a job in the transaction of its cause: there is one exactly when that happened. Its data names the site: a
 * worker looks for one that it doesn't know yet.
 */
export async function enqueue<Data extends { siteId: SiteId }>(
  tx: Db,
  name: string,
  data: Data,
  { retries = 5, retryDelay = 0, timeout = 120, delay = 0, deadLetter }: EnqueueOptions = {},
): Promise<void> {
  await sql`INSERT INTO pgboss.job
      (name, data, retry_limit, retry_delay, retry_backoff, expire_seconds, start_after, dead_letter)
    VALUES (${name}, ${JSON.stringify(data)}, ${retries}, ${retryDelay}, ${retries > 0}, ${timeout},
      now() + make_interval(secs => ${delay}), ${deadLetter ?? null})`.execute(tx)
}
