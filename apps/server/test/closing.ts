import { deletionWebhookJob } from '../src/features/closing/deletion-webhook.ts'
import { eraseAccountsJob } from '../src/features/closing/erase-accounts.ts'
import { clientSubject } from '../src/features/oidc/subject.ts'
import { eraseUser } from '../src/features/personal-data/erase-user.ts'
import { mailNoticeJob } from '../src/shared/notices/mail-notices.ts'
import { smsNoticeJob } from '../src/shared/notices/sms-notices.ts'
import type { TestApp, TestSite } from './test-app.ts'

/** Moves the due time of an account forward. */
export async function passClosing(t: Pick<TestApp, 'deps'>, userId: string, interval: string): Promise<void> {
  await t.deps.pool.query('UPDATE deletion SET due_at = due_at - $2::interval WHERE user_id = $1', [userId, interval])
}

/** What the worker does every minute. */
export const eraseAccounts = (t: Pick<TestApp, 'deps'>): Promise<void> =>
  eraseAccountsJob(t.deps, eraseUser).run(undefined)

const isThere = 'SELECT count(*)::int AS n FROM users WHERE site_id = $1 AND id = $2'

export const isErased = async (t: Pick<TestApp, 'deps'>, site: TestSite, userId: string): Promise<boolean> =>
  (await t.deps.pool.query(isThere, [site.id, userId])).rows[0].n === 0

/** Runs the queued jobs of a site as a worker would; answers how many there were. */
export async function workQueue(
  t: TestApp,
  site: TestSite,
  name: 'mail-notice' | 'sms-notice' | 'client-told',
): Promise<number> {
  const jobs = {
    'mail-notice': mailNoticeJob,
    'sms-notice': smsNoticeJob,
    'client-told': (deps: TestApp['deps']) => deletionWebhookJob(deps, clientSubject),
  }
  const taken = `DELETE FROM pgboss.job WHERE name = $1 AND data->>'siteId' = $2 RETURNING data`
  const { rows } = await t.deps.pool.query(taken, [name, site.id])
  for (const { data } of rows) await jobs[name](t.deps).run(data)
  return rows.length
}
