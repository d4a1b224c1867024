import { sealedDays } from '@hufu/contract/personal-data-rules'
import type { Pool } from 'pg'
import type { Config } from './core/config.ts'
import { createDeps } from './core/deps.ts'
import { type Job, startJobs } from './core/jobs.ts'
import { mailNoticeJob, smsNoticeJob } from './core/notices.ts'
import { clientToldJob } from './features/closing/client-told.ts'
import { eraseAccountsJob } from './features/closing/erase-accounts.ts'
import { feedbackNoticeJob } from './features/feedback/feedback-notices.ts'
import { dataExportJob, failedDataExportJob } from './features/personal-data/data-export.ts'
import { erasePerson } from './features/personal-data/erase-person.ts'
import { loginNoticeJob } from './features/security/login-notices.ts'
import { metaOf } from './features/site/meta.ts'
import { usageDaysJob } from './features/statistics/usage-days.ts'
import { userBucketsJob } from './features/users/user-buckets.ts'
import { failedExportJob, userExportJob } from './features/users/user-export.ts'
import { wechatAvatarJob } from './features/wechat/wechat-avatar.ts'

/** Whatever is worth nothing once it has expired. */
const oneTimeTables = [
  'authorize_request',
  'authorize_ticket',
  'wechat_ticket',
  'login_confirm',
  'notice_link',
  'recovery',
  'recovery_ticket',
]

/** Keeps the partitioned logs, the flush marks and the one-time tables in shape; no expiry waits for it. */
export function upkeep(pool: Pool): Job {
  return {
    name: 'upkeep',
    cron: '17 3 * * *',
    async run() {
      await pool.query('SELECT make_log_partitions(2)')
      await pool.query('SELECT drop_old_security_log(183)')
      await pool.query('SELECT make_code_partitions(7)')
      await pool.query('SELECT drop_old_codes(3)')
      await pool.query("DELETE FROM usage_flush WHERE at < now() - interval '1 day'")
      await pool.query('SELECT drop_old_exports()')
      await pool.query('SELECT drop_old_data_exports()')
      await pool.query(`DELETE FROM sealed_sign_in WHERE at < clock_timestamp() - interval '${sealedDays} days'`)
      for (const table of oneTimeTables) await pool.query(`DELETE FROM ${table} WHERE expires_at < now()`)
    },
  }
}

/** Background work until it is told to stop. */
export async function workProduct(config: Config): Promise<void> {
  const deps = await createDeps(config)
  const jobs = [
    upkeep(deps.pool),
    mailNoticeJob(deps),
    smsNoticeJob(deps),
    wechatAvatarJob(deps),
    feedbackNoticeJob(deps),
    loginNoticeJob(deps),
    eraseAccountsJob(deps, erasePerson),
    clientToldJob(deps),
    userBucketsJob(deps),
    userExportJob(deps, metaOf),
    failedExportJob(deps),
    dataExportJob(deps),
    failedDataExportJob(deps),
    usageDaysJob(deps),
  ]
  const worker = await startJobs(config, deps.log, jobs)
  deps.log.info({ jobs: jobs.map(({ name }) => name) }, 'working')
  async function stop() {
    await worker.stop()
    await deps.close()
    process.exit(0)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop())
}
