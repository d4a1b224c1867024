import { setTimeout as pause } from 'node:timers/promises'
import { sealedDays } from '@hufu/contract/personal-data-rules'
import type { Pool, PoolClient } from 'pg'
import { deletionWebhookJob } from './features/closing/deletion-webhook.ts'
import { eraseAccountsJob } from './features/closing/erase-accounts.ts'
import { dropOldEventsJob, startNumbering } from './features/events/number-events.ts'
import { feedbackNoticeJob } from './features/feedback/feedback-notices.ts'
import { failedExportJob, userExportJob } from './features/merchant-users/user-export.ts'
import { userListIndexJob } from './features/merchant-users/user-list-index-job.ts'
import { backchannelLogoutJob } from './features/oidc/backchannel-logout.ts'
import { signingKeysJob } from './features/oidc/signing-keys-job.ts'
import { clientSubject } from './features/oidc/subject.ts'
import { dataExportJob, failedDataExportJob } from './features/personal-data/data-export.ts'
import { eraseUser } from './features/personal-data/erase-user.ts'
import { loginNoticeJob } from './features/security/login-notices.ts'
import { dropUnnamedPictures, sitesWithOldPictures } from './features/site/unnamed-pictures.store.ts'
import { usageDaysJob } from './features/statistics/usage-days.ts'
import { startLanes } from './features/webhooks/lanes.ts'
import { webhookCollectors } from './features/webhooks/webhook-collectors.ts'
import { wechatAvatarJob } from './features/wechat/wechat-avatar.ts'
import { serveMetrics } from './http/metrics.ts'
import type { Config } from './platform/config/config.ts'
import type { SiteId } from './platform/ids.ts'
import { type Job, startJobs } from './platform/jobs/jobs.ts'
import type { Log } from './platform/log.ts'
import { stopOnSignal } from './platform/shutdown.ts'
import { productCollectors } from './shared/collectors.ts'
import { createDeps } from './shared/deps.ts'
import { mailNoticeJob } from './shared/notices/mail-notices.ts'
import { smsNoticeJob } from './shared/notices/sms-notices.ts'
import { spendCollectors } from './shared/send-limits/sms-spend.ts'
import { guessCollectors } from './shared/send-limits/wrong-codes.ts'
import { forgottenDays } from './shared/sessions/known-browsers.store.ts'
import { absoluteDays, idleDays } from './shared/sessions/sessions.store.ts'
import type { Sites } from './shared/sites/sites.ts'
import { version } from './version.ts'

/** Rows that are worthless once they have expired. */
const oneTimeTables = [
  'authorize_request',
  'authorize_ticket',
  'wechat_ticket',
  'login_confirm',
  'notice_link',
  'recovery',
  'recovery_ticket',
  'account_change',
  'factor_ticket',
  'spent_challenge',
  'idempotent_answer',
]

const batch = 1_000

/**
 * A worker of a version that didn't know the table yet erases conversations without these rows. Each row looks its
 * conversation up by index, since there are far more conversations.
 */
const withoutConversation = (table: string) => `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
  SELECT t.ctid FROM ${table} t WHERE t.feedback_id IS NOT NULL
    AND (SELECT f.id FROM feedback f WHERE f.site_id = t.site_id AND f.id = t.feedback_id) IS NULL LIMIT ${batch}))`

/** In the order of their expiry, in larger batches: every token of every client leaves one. */
const expiredItems = `DELETE FROM oidc_item WHERE ctid = ANY(ARRAY(SELECT ctid FROM oidc_item
  WHERE expires_at < now() ORDER BY expires_at LIMIT 5000 FOR UPDATE SKIP LOCKED))`

/** Sessions end by themselves without a statement. One that is live keeps its rows. */
const unusedLogins = (table: string, used: string) => `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT l.ctid
  FROM ${table} l WHERE l.${used} < clock_timestamp() - interval '${idleDays} days' AND NOT EXISTS (SELECT FROM session s
    LEFT JOIN session_access a ON a.site_id = s.site_id AND a.user_id = s.user_id AND a.session_id = s.id
    WHERE s.site_id = l.site_id AND s.user_id = l.user_id AND s.id = l.session_id AND s.ended_at IS NULL
      AND coalesce(a.last_access, s.created_at) > clock_timestamp() - interval '${idleDays} days'
      AND s.created_at > clock_timestamp() - interval '${absoluteDays} days')
  LIMIT ${batch} FOR UPDATE OF l SKIP LOCKED))`

const chores = [
  'SELECT make_log_partitions(2)',
  'SELECT drop_old_security_log(183)',
  'SELECT make_code_partitions(7)',
  'SELECT drop_old_codes(3)',
  "DELETE FROM usage_flush WHERE at < now() - interval '1 day'",
  "DELETE FROM trouble WHERE hour < now() - interval '30 days'",
  "DELETE FROM machine_read WHERE at < now() - interval '400 days'",
  'SELECT drop_old_exports()',
  'SELECT drop_old_data_exports()',
  'SELECT recount_password_forms()',
  `DELETE FROM known_browser WHERE last_used < clock_timestamp() - interval '${forgottenDays} days'`,
  "DELETE FROM totp WHERE confirmed_at IS NULL AND created_at < clock_timestamp() - interval '1 day'",
  "DELETE FROM factor_tries WHERE since < clock_timestamp() - interval '1 day'",
  `DELETE FROM sealed_sign_in WHERE at < clock_timestamp() - interval '${sealedDays} days'`,
  "DELETE FROM feedback_picture WHERE feedback_id IS NULL AND created_at < clock_timestamp() - interval '1 day'",
  ...['feedback_picture', 'feedback_note'].map(withoutConversation),
  unusedLogins('oidc_login', 'last_at'),
  unusedLogins('oidc_device_login', 'created_at'),
  ...oneTimeTables.map((table) => `DELETE FROM ${table} WHERE expires_at < now()`),
]

/** A statement that takes a batch at a time is repeated until it finds none. */
async function doChore(client: PoolClient, chore: string): Promise<void> {
  while (((await client.query(chore)).rowCount ?? 0) >= batch);
}

/** A statement for each site: together they have as long as they need. */
async function dropPictures(client: PoolClient, attempt: Attempt): Promise<void> {
  for (const site of await sitesWithOldPictures(client))
    await attempt(`pictures of site ${site}`, () => dropUnnamedPictures(client, site))
}

type Attempt = (name: string, work: () => Promise<void>) => Promise<void>

/** Each on its own: a failure doesn't prevent the others. */
async function doChores(client: PoolClient): Promise<Error[]> {
  const failures: Error[] = []
  const attempt: Attempt = (name, work) =>
    work().catch((error) => void failures.push(new Error(name, { cause: error })))
  // A day's rows of a large site take longer than a call may; the lock timeout stays, so no call waits for them.
  await client.query("SET statement_timeout = '5min'; SET lock_timeout = '5s'")
  for (const chore of chores) await attempt(chore, () => doChore(client, chore))
  await attempt('pictures of sites', () => dropPictures(client, attempt))
  return failures
}

/**
 * Maintains the partitioned logs, the flush marks and the one-time tables; no expiry depends on it. It fails in the end
 * where a task did, names it, and is retried.
 */
export function upkeep(pool: Pool): Job {
  return {
    name: 'upkeep',
    cron: '17 3 * * *',
    async run() {
      const client = await pool.connect()
      const failures = await doChores(client).finally(() => client.release(true))
      if (failures.length > 0) throw new AggregateError(failures, `${failures.length} chores of upkeep failed`)
    },
  }
}

/** Tokens live for minutes: a busy site leaves millions of them a day, too many to wait for the night. */
export function expiredTokens(pool: Pool): Job {
  return {
    name: 'oidc-expired',
    cron: '*/15 * * * *',
    async run() {
      const client = await pool.connect()
      try {
        await client.query("SET statement_timeout = '5min'; SET lock_timeout = '5s'")
        await doChore(client, expiredItems)
      } finally {
        client.release(true)
      }
    },
  }
}

/** How often, a second apart, a worker looks for a site that it doesn't know. */
const looks = 30

/**
 * A site may be newer than this process's copy, or the process has none yet because the database was unreachable at its
 * start: a job for an unknown site would be done for nothing, and never again.
 */
export function knowingItsSite(sites: Pick<Sites, 'get' | 'refresh'>, job: Job): Job {
  async function look(siteId: SiteId) {
    for (let looked = 0; looked < looks && !sites.get(siteId); looked++) {
      if (
        await sites.refresh().then(
          () => true,
          () => false,
        )
      )
        return
      await pause(1_000)
    }
  }
  async function run(data: unknown) {
    const { siteId } = (data ?? {}) as { siteId?: SiteId }
    if (siteId) await look(siteId)
    await job.run(data)
  }
  return { ...job, run }
}

/** Runs background jobs until a signal stops it. */
export async function workProduct(config: Config, log: Log): Promise<void> {
  const deps = await createDeps(config, log, 'work')
  const jobs = [
    upkeep(deps.pool),
    expiredTokens(deps.pool),
    mailNoticeJob(deps),
    smsNoticeJob(deps),
    wechatAvatarJob(deps),
    feedbackNoticeJob(deps),
    loginNoticeJob(deps),
    eraseAccountsJob(deps, eraseUser),
    deletionWebhookJob(deps, clientSubject),
    backchannelLogoutJob(deps),
    signingKeysJob(deps),
    userListIndexJob(deps),
    userExportJob(deps),
    failedExportJob(deps),
    dataExportJob(deps),
    failedDataExportJob(deps),
    usageDaysJob(deps),
    dropOldEventsJob(deps),
  ]
  const worker = await startJobs(
    config,
    deps.log,
    jobs.map((job) => knowingItsSite(deps.sites, job)),
  )
  const ofSites = [...spendCollectors(deps), ...guessCollectors(deps), ...webhookCollectors(deps)]
  const watched = await serveMetrics(config, [...productCollectors(deps, version), ...worker.collectors, ...ofSites])
  const numbering = startNumbering(deps)
  const lanes = startLanes(deps)
  deps.log.info({ jobs: jobs.map(({ name }) => name) }, 'working')
  stopOnSignal(deps.log, async () => {
    numbering.stop()
    await lanes.stop()
    await worker.stop()
    watched.close()
    await deps.close()
  })
}
