import { setTimeout as sleep } from 'node:timers/promises'
import { replyFeedback, sendFeedback } from '@hufu/contract/feedback'
import { loginByPassword } from '@hufu/contract/login'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fresh, messagesTo, type TestSite } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { callerOf } from '../harness/callers.ts'
import { type Browser, few, type Harness, password } from '../harness/harness.ts'
import { together } from '../harness/http.ts'
import { poisons } from './poisons.ts'
import { startWithWorker, type WithWorker } from './with-worker.ts'

const evil = 'evil.example'
const operatorsInbox = fresh.email()

let product: WithWorker
let t: Harness
let site: TestSite
let operator: Browser
beforeAll(async () => {
  product = await startWithWorker()
  ;({ t } = product)
  site = await t.codeSite({
    notices: { feedback: { ways: ['mail'], operators: [operatorsInbox] }, login: { ways: ['mail'] } },
  })
  operator = await callerOf(t, 'merchantWrite', site)
})
afterAll(() => product?.stop())

/** Headers that name another host, one set for each way to do so. */
const headerSets = () =>
  poisons(site, evil).flatMap(({ headers = [] }) =>
    headers.length === 0 ? [] : [Object.fromEntries(headers.map((line) => line.split(/: (.*)/).slice(0, 2)))],
  )

/** A user writes feedback, is answered and signs in with a new browser, all with poisoned headers. Returns the address for mails. */
async function live(headers: Record<string, string>): Promise<string> {
  const { id, email, username } = await t.user(site)
  const user = await t.session(site, id)
  const ask = () => user.post(sendFeedback.path, JSON.stringify({ message: '杯子碎了' }), headers)
  // One waits for an operator, the other has had its answer.
  const [asked] = [await ask(), await ask()]
  const conversation = (asked.data as { id: string }).id
  await operator.post(replyFeedback.path, JSON.stringify({ id: conversation, message: '已为您补寄' }), headers)
  const signedIn = await t
    .browser(site)
    .post(loginByPassword.path, JSON.stringify({ account: username, password }), headers)
  expect(signedIn.status, signedIn.body).toBe(200)
  return email
}

/** Until every notice of the site has gone out; the minute for which some wait is over at once. */
async function noticesOut(): Promise<void> {
  const ours = "FROM pgboss.job WHERE data ->> 'siteId' = $1 AND state < 'completed'"
  for (let waited = 0; waited < 60_000; waited += 250) {
    await t.deps.pool.query(
      "UPDATE pgboss.job SET start_after = now() WHERE data ->> 'siteId' = $1 AND state < 'active'",
      [site.id],
    )
    if ((await t.deps.pool.query(`SELECT ${ours}`, [site.id])).rowCount === 0) return
    await sleep(250)
  }
  throw new Error('notices never went out')
}

test('A25 mails about messages, answers and new browsers name only the stored site, whatever the earlier calls named', async () => {
  const sets = headerSets().filter((_, index) => index % few(1, 5) === 0)
  const users = await together(sets.length, 4, (index) => live(sets[index] ?? {}))
  await noticesOut()
  const mails = (await Promise.all([...users, operatorsInbox].map((to) => messagesTo(to)))).flat()
  const links = mails.flatMap(({ text }) => text.match(/https?:\/\/[^\s"]+/g) ?? [])
  const away = links.filter((link) => link !== site.origin && !link.startsWith(`${site.origin}/`))
  for (const line of away.slice(0, 10)) console.log(`A25: ${line}`)
  for (const page of ['/user/feedback/', '/merchant/feedback/', '/disown/'])
    expect(links.filter((link) => link.startsWith(site.origin + page)).length, page).toBeGreaterThanOrEqual(sets.length)
  figure('links in mails of notices', links.length, ['>=', sets.length * 6])
  figure('of them to another host', away.length + mails.filter(({ text }) => text.includes(evil)).length, ['=', 0])
})
