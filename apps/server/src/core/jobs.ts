import { PgBoss } from 'pg-boss'
import type { Config } from './config.ts'
import type { Log } from './log.ts'

export interface Job {
  name: string
  /** When it runs by itself, as cron in UTC. */
  cron?: string
  /** How often one that failed is run again; five times unless said otherwise. */
  retries?: number
  /** How many run at a time in one worker; twenty unless said otherwise. */
  atOnce?: number
  run(data: unknown): Promise<void>
}

/** On without a pause while there are more: a thousand notices aren't an hour's work. */
const working = { burstWhenBatchFull: true, pollingIntervalSeconds: 1, perJobResults: true } as const

/** One that fails takes none of its batch along. */
async function runOne(log: Log, name: string, run: Job['run'], { id, data }: { id: string; data: unknown }) {
  try {
    await run(data)
    log.info({ job: name, id }, 'job done')
    return { id, status: 'completed' as const }
  } catch (error) {
    log.warn({ err: error, job: name, id }, 'job failed')
    return { id, status: 'failed' as const, output: { message: String(error) } }
  }
}

/** Works through queued and scheduled jobs until stopped. The queue's tables come from our own migrations. */
export async function startJobs(
  config: Pick<Config, 'databaseUrl'>,
  log: Log,
  jobs: Job[],
): Promise<{ stop(): Promise<void> }> {
  const boss = new PgBoss({
    connectionString: config.databaseUrl,
    migrate: false,
    createSchema: false,
    max: 4,
    // How soon what a killed worker held is found.
    superviseIntervalSeconds: 30,
    monitorIntervalSeconds: 30,
  })
  boss.on('error', (error) => log.error({ err: error }, 'the job queue failed'))
  await boss.start()
  for (const { name, cron, retries = 5, atOnce = 20, run } of jobs) {
    await boss.createQueue(name, { retryLimit: retries, retryBackoff: retries > 0 })
    await boss.work(name, { ...working, batchSize: atOnce }, (batch) =>
      Promise.all(batch.map((job) => runOne(log, name, run, job))),
    )
    if (cron) await boss.schedule(name, cron)
  }
  return { stop: () => boss.stop({ graceful: true, timeout: 10_000 }) }
}
