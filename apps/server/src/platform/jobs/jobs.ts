import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'pg'
import { type JobWithMetadata, PgBoss } from 'pg-boss'
import type { Config } from '../config/config.ts'
import type { Log } from '../log.ts'
import { atMostEvery, type Collector, counter } from '../metrics/metrics.ts'
import { isDatabaseUnavailable } from '../postgres/db.ts'
import { routeTo } from '../postgres/find-primary.ts'
import { tendConnections } from '../postgres/stale-connections.ts'

export interface Job {
  name: string
  /** When it runs by itself, as cron in UTC. */
  cron?: string
  /** Retries after a failure; five unless said otherwise. */
  retries?: number
  /** How many run at a time in one worker; twenty unless said otherwise. */
  atOnce?: number
  run(data: unknown): Promise<void>
  /** Called when it has failed for the last time. */
  givenUp?(data: unknown): void
}

/** The next batch follows without a pause while there are more: a thousand notices must not take an hour. */
const working = {
  burstWhenBatchFull: true,
  pollingIntervalSeconds: 1,
  perJobResults: true,
  includeMetadata: true,
} as const

const ran = counter('hufu_jobs_total', 'Jobs run, by what came of them.')

type Tried = Pick<JobWithMetadata<unknown>, 'id' | 'data' | 'retryCount' | 'retryLimit'>

/** One that fails doesn't fail the rest of its batch. */
async function runOne(log: Log, { name, run, givenUp }: Job, { id, data, retryCount, retryLimit }: Tried) {
  try {
    await run(data)
    log.info({ job: name, id }, 'job done')
    ran.add({ queue: name, outcome: 'done' })
    return { id, status: 'completed' as const }
  } catch (error) {
    log.warn({ err: error, job: name, id }, 'job failed')
    const last = retryCount >= retryLimit
    ran.add({ queue: name, outcome: last ? 'given up' : 'failed' })
    if (last) givenUp?.(data)
    return { id, status: 'failed' as const, output: { message: String(error) } }
  }
}

/** The queue's own connections: jobs and calls don't wait for each other. */
function openPool(databaseUrl: string, onError: (error: Error) => void): Pool {
  const { connection, find } = routeTo(databaseUrl)
  const pool = new Pool({ ...connection, max: 4, connectionTimeoutMillis: 10_000, application_name: 'hufu jobs' })
  tendConnections(pool, find, onError)
  return pool
}

async function begin(boss: PgBoss, log: Log, jobs: Job[]): Promise<void> {
  await boss.start()
  for (const job of jobs) {
    const { name, cron, retries = 5, atOnce = 20 } = job
    await boss.createQueue(name, { retryLimit: retries, retryBackoff: retries > 0 })
    await boss.work(name, { ...working, batchSize: atOnce }, (batch) =>
      Promise.all(batch.map((tried) => runOne(log, job, tried))),
    )
    if (cron) await boss.schedule(name, cron)
    // So that the first increase is visible to `increase()`.
    ran.of({ queue: name, outcome: 'given up' })
  }
}

/** A database that is unreachable is waited for. */
async function beginPatiently(make: () => PgBoss, log: Log, jobs: Job[]): Promise<PgBoss> {
  for (;;) {
    const boss = make()
    try {
      await begin(boss, log, jobs)
      return boss
    } catch (error) {
      await boss.stop({ graceful: false }).catch(() => {})
      if (!isDatabaseUnavailable(error)) throw error
      log.warn({ err: error }, 'the job queue waits for the database')
      await pause(1_000)
    }
  }
}

/** Of every queue, how many jobs wait and for how long the oldest has. Read when scraped, every few seconds at most. */
function queueCollectors(pool: Pool): Collector[] {
  const look = atMostEvery(5_000, async () => {
    const { rows } = await pool.query<{ queue: string; waiting: number; seconds: number }>(
      `SELECT q.name AS queue, count(j.id)::int AS waiting,
          coalesce(extract(epoch FROM now() - min(j.start_after)), 0)::float8 AS seconds
        FROM pgboss.queue q LEFT JOIN pgboss.job j
          ON j.name = q.name AND j.state < 'active' AND NOT j.blocked AND j.start_after <= now()
        WHERE q.name NOT LIKE '\\_\\_%' GROUP BY q.name`,
    )
    return rows
  })
  const read = (of: 'waiting' | 'seconds') => async () =>
    (await look()).map(({ queue, ...row }) => ({ labels: { queue }, value: row[of] }))
  return [
    { name: 'hufu_jobs_waiting', help: 'Jobs that could run now.', read: read('waiting') },
    { name: 'hufu_jobs_waiting_seconds', help: 'How long the first of them has waited.', read: read('seconds') },
  ]
}

/** Runs queued and scheduled jobs until stopped. The queue's tables come from our own migrations. */
export async function startJobs(
  config: Pick<Config, 'databaseUrl'>,
  log: Log,
  jobs: Job[],
): Promise<{ collectors: Collector[]; stop(): Promise<void> }> {
  const failed = (error: Error) => log.error({ err: error }, 'the job queue failed')
  const pool = openPool(config.databaseUrl, failed)
  const make = () =>
    new PgBoss({
      db: { executeSql: (text, values) => pool.query(text, values) },
      migrate: false,
      createSchema: false,
      // How soon the jobs of a killed worker are found.
      superviseIntervalSeconds: 30,
      monitorIntervalSeconds: 30,
    }).on('error', failed)
  const boss = await beginPatiently(make, log, jobs)
  async function stop() {
    await boss.stop({ graceful: true, timeout: 10_000 })
    await pool.end()
  }
  return { collectors: queueCollectors(pool), stop }
}
