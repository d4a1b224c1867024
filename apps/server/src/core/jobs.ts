import { PgBoss } from 'pg-boss'
import type { Config } from './config.ts'
import type { Log } from './log.ts'

export interface Job {
  name: string
  /** When it runs by itself, as cron in UTC. */
  cron?: string
  run(data: unknown): Promise<void>
}

/** Works through queued and scheduled jobs until stopped. The queue's tables come from our own migrations. */
export async function startJobs(
  config: Pick<Config, 'databaseUrl'>,
  log: Log,
  jobs: Job[],
): Promise<{ stop(): Promise<void> }> {
  const boss = new PgBoss({ connectionString: config.databaseUrl, migrate: false, createSchema: false, max: 4 })
  boss.on('error', (error) => log.error({ err: error }, 'the job queue failed'))
  await boss.start()
  for (const { name, cron, run } of jobs) {
    await boss.createQueue(name, { retryLimit: 5, retryBackoff: true })
    await boss.work(name, async ([job]) => {
      await run(job?.data)
      log.info({ job: name }, 'job done')
    })
    if (cron) await boss.schedule(name, cron)
  }
  return { stop: () => boss.stop({ graceful: true, timeout: 10_000 }) }
}
