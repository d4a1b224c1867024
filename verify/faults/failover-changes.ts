import { setTimeout as sleep } from 'node:timers/promises'
import { changeUsername } from '@hufu/contract/account'
import { changePreference, userInfo } from '@hufu/contract/profile'
import { fresh, messagesTo, sessionOf, type TestSite, times } from '../../apps/server/test/test-app.ts'
import type { Harness, User } from '../harness/harness.ts'

/** A requested change; one whose response was lost or a refusal stays unacknowledged. */
interface Entry {
  kind: 'username' | 'region'
  value: string
  acknowledged: boolean
}

export interface Customer {
  kind: Entry['kind']
  browser: User
  email: string
  ledger: Entry[]
  /** Responses that say that the user is not signed in, and when they came. */
  signedOut: string[]
}

/** A session that has just passed a check. */
async function checkedSession(t: Harness, site: TestSite, id: User['id']): Promise<User> {
  const browser = await t.session(site, id)
  await t.deps.pool.query('UPDATE session SET two_factor_at = now() WHERE id = $1', [sessionOf(browser)])
  return browser
}

/** Half of them change their username, which mails announce, the others their region. */
export const customers = (t: Harness, site: TestSite, count: number): Promise<Customer[]> =>
  Promise.all(
    times(count, async (index) => {
      const { id, email } = await t.user(site, { password: undefined })
      const kind = index % 2 ? 'region' : 'username'
      return { kind, browser: await checkedSession(t, site, id), email, ledger: [], signedOut: [] }
    }),
  )

async function change({ kind, browser, ledger, signedOut }: Customer): Promise<void> {
  const entry: Entry = { kind, value: fresh.username(), acknowledged: false }
  ledger.push(entry)
  const asked =
    kind === 'username'
      ? browser.call(changeUsername, { username: entry.value })
      : browser.call(changePreference, { region: entry.value })
  const answers = [await asked.catch(() => undefined), await browser.call(userInfo).catch(() => undefined)]
  entry.acknowledged = answers[0]?.status === 200
  for (const answer of answers) if (answer?.status === 401) signedOut.push(`${new Date().toISOString()} ${answer.code}`)
}

/**
 * A change of name gives the session a new secret. Where it was done and its answer was lost, the user signs in anew,
 * as after a killed process: what was not acknowledged is unknown.
 */
async function comeAgain(t: Harness, site: TestSite, customer: Customer): Promise<void> {
  if (customer.kind !== 'username' || customer.ledger.at(-1)?.acknowledged || customer.signedOut.length === 0) return
  customer.signedOut = []
  customer.browser = await checkedSession(t, site, customer.browser.id)
}

/** Every user makes one change after the other, and reads their account, until it is stopped. */
export function keepChanging(t: Harness, site: TestSite, users: Customer[], pace: number): { stop(): Promise<void> } {
  const running = { going: true }
  async function go(customer: Customer) {
    while (running.going) {
      await change(customer)
      await comeAgain(t, site, customer)
      await sleep(pace)
    }
  }
  const work = Promise.all(users.map(go))
  return {
    async stop() {
      running.going = false
      await work
    },
  }
}

/** What was acknowledged last stands, or something that was asked for after it. */
const possible = (ledger: Entry[]): string[] =>
  ledger
    .slice(
      Math.max(
        0,
        ledger.findLastIndex(({ acknowledged }) => acknowledged),
      ),
    )
    .map(({ value }) => value)

/** Acknowledged changes that the database doesn't have. */
export async function lostChanges(t: Harness, site: TestSite, { kind, browser, ledger }: Customer): Promise<string[]> {
  const { rows } = await t.deps.pool.query(
    `SELECT u.username, u.preference->>'region' AS region,
       (SELECT count(*)::int FROM identity i WHERE i.site_id = u.site_id AND i.user_id = u.id AND i.kind = 'username') AS names,
       (SELECT count(*)::int FROM security_log l WHERE l.site_id = u.site_id AND l.user_id = u.id
          AND l.event = 'username.change') AS recorded
     FROM users u WHERE u.site_id = $1 AND u.id = $2`,
    [site.id, browser.id],
  )
  const wrong: string[] = []
  if (!possible(ledger).includes(rows[0][kind])) wrong.push(`${kind} is ${rows[0][kind]}`)
  const asked = kind === 'username' ? ledger : []
  const acknowledged = asked.filter((entry) => entry.acknowledged).length
  if (rows[0].names !== 1) wrong.push(`${rows[0].names} usernames are owned`)
  if (rows[0].recorded < acknowledged || rows[0].recorded > asked.length)
    wrong.push(`${rows[0].recorded} changes recorded, ${acknowledged} acknowledged of ${asked.length}`)
  return wrong
}

/** Users whose notices don't match the changes in the log: one notice each, under its own id. */
export async function wrongNotices(t: Harness, site: TestSite, { browser, email }: Customer): Promise<string[]> {
  const { rows } = await t.deps.pool.query(
    `SELECT (SELECT count(*)::int FROM security_log WHERE site_id = $1 AND user_id = $2 AND event = 'username.change') AS changes,
       (SELECT count(*)::int FROM pgboss.job WHERE name = 'mail-notice' AND data->>'siteId' = $1::text AND data->>'to' = $3) AS jobs`,
    [site.id, browser.id, email],
  )
  const mails = (await messagesTo(email)) as { messageId?: string }[]
  const mailed = new Set(mails.map(({ messageId }) => messageId)).size
  const { changes, jobs } = rows[0]
  return jobs === changes && mailed === changes ? [] : [`${email}: ${changes} changes, ${jobs} jobs, ${mailed} mails`]
}
