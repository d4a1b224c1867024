import { setTimeout as sleep } from 'node:timers/promises'
import { loginByPassword } from '@hufu/contract/login'
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest'
import { sha256 } from '../../apps/server/src/platform/crypto/hash.ts'
import { messagesTo, sessionOf, type TestSite, times } from '../../apps/server/test/test-app.ts'
import { type Running, runHufu } from '../../tools/run/product.ts'
import { figure } from '../harness/assert-figure.ts'
import { type Api, killed, startApi } from '../harness/environment.ts'
import { few, type User } from '../harness/harness.ts'
import { together } from '../harness/http.ts'
import { type OwnProduct, startOwnProduct } from '../harness/own-product.ts'
import { seeded } from '../harness/walks.ts'

let product: OwnProduct
let environment: OwnProduct['environment']
let apis: OwnProduct['apis']
let t: OwnProduct['t']
let site: TestSite
beforeAll(async () => {
  product = await startOwnProduct()
  ;({ environment, apis, t } = product)
  site = await t.codeSite()
})
afterAll(() => product.stop())

interface Customer {
  id: User['id']
  username: string
  password: string
  /** Where their notices go. */
  to: string
  way: 'mail' | 'sms'
  /** The sessions that their new browsers received. */
  acknowledged: string[]
}

/** A user whose account knows a browser already, with or without an e-mail address. */
async function customer(way: Customer['way']): Promise<Customer> {
  const user = await t.user(site, way === 'sms' ? { email: undefined } : {})
  await t.session(site, user.id)
  return { ...user, to: way === 'mail' ? user.email : user.mobile, way, acknowledged: [] }
}

const pick = seeded('F01')
const kills = few(40, 4)
let lost = 0

/** Signs in with new browsers until one of them gets a response; the outcome of the others is unknown. */
async function signInAnew({ username, password, acknowledged }: Customer): Promise<void> {
  while (acknowledged.length === 0) {
    const browser = t.browser(site)
    const answer = await browser.call(loginByPassword, { account: username, password }).catch(() => undefined)
    if (answer?.status === 200) acknowledged.push(sessionOf(browser))
    else lost++
    await sleep(50)
  }
}

const startWorker = () => runHufu('work', { ...environment, HUFU_LOG_LEVEL: 'warn' }, [], 2)

/** What a killed worker held is given back when its time is over, and tried again a while later; here both are at once. */
async function giveBack(): Promise<void> {
  await t.deps.pool.query("UPDATE pgboss.job SET started_on = started_on - interval '1 hour' WHERE state = 'active'")
  await t.deps.pool.query("UPDATE pgboss.job SET start_after = now() WHERE state = 'retry'")
}

/** Kills an API process and the worker by turns. */
async function keepKilling(running: { worker: Running }): Promise<void> {
  for (let round = 0; round < kills; round++) {
    if (round % 2 === 0) {
      await sleep(150 + pick(250))
      const at = (round / 2) % apis.length
      const api = apis[at] as Api
      await api.kill()
      apis[at] = await startApi(environment, inject('logFolder'), Number(new URL(api.url).port))
    } else {
      // Until it works, and a little more.
      await sleep(1_000 + pick(1_000))
      await killed(running.worker)
      await giveBack()
      running.worker = startWorker()
    }
  }
}

const column = async (query: string, ...values: unknown[]) =>
  (await t.deps.pool.query<{ value: string }>(query, values)).rows.map(({ value }) => value)

const left = async () =>
  (
    await column(
      "SELECT id AS value FROM pgboss.job WHERE name LIKE '%-notice' AND data->>'siteId' = $1 AND state IN ('created', 'retry', 'active')",
      site.id,
    )
  ).length

/** Of one user: their sign-ins with new browsers, and what doesn't fit them. */
async function compare({ id, to, way, acknowledged }: Customer) {
  const [, ...sessions] = await column(
    'SELECT id AS value FROM session WHERE site_id = $1 AND user_id = $2 ORDER BY created_at',
    site.id,
    id,
  )
  const claimed = await column(
    'SELECT subject AS value FROM notice_link WHERE site_id = $1 AND user_id = $2',
    site.id,
    id,
  )
  const wrong: string[] = []
  if (!acknowledged.every((session) => sessions.includes(session))) wrong.push(`${to}: a sign-in was lost`)
  if (claimed.sort().join() !== sessions.sort().join())
    wrong.push(`${to}: ${claimed.length} of ${sessions.length} announced`)
  const arrived = (await messagesTo(to)) as { text: string; messageId?: string }[]
  // Users who didn't sign in are notified of nothing.
  if (way === 'sms' && arrived.length > sessions.length) wrong.push(`${to}: ${arrived.length} texts`)
  if (way === 'mail') wrong.push(...(await wrongMails(sessions, arrived)))
  return { wrong, sessions: sessions.length, arrived: arrived.length }
}

/** Every sign-in has a mail that leads to it, and each mail, however often it came, one id. */
async function wrongMails(sessions: string[], arrived: { text: string; messageId?: string }[]): Promise<string[]> {
  const ids = new Map<string, Set<string | undefined>>()
  for (const { text, messageId } of arrived) {
    const token = /\/disown\/([\w-]{43})/.exec(text)?.[1] ?? ''
    const [session = 'nothing'] = await column(
      'SELECT subject AS value FROM notice_link WHERE site_id = $1 AND hash = $2',
      site.id,
      sha256(token),
    )
    ids.set(session, (ids.get(session) ?? new Set()).add(messageId))
  }
  return [
    ...sessions.filter((session) => ids.get(session)?.size !== 1).map((session) => `${session} has no mail of one id`),
    ...[...ids.keys()].filter((session) => !sessions.includes(session)).map((session) => `a mail about ${session}`),
  ]
}

test('F01 processes and workers killed in the middle: every sign-in with a new browser is announced exactly once', async () => {
  const users = await together(few(400, 50), 5, (index) => customer(index % 4 === 3 ? 'sms' : 'mail'))
  const running = { worker: startWorker() }
  onTestFinished(() => running.worker.stop())
  let going = true
  const waiting = [...users]
  const keepComing = async () => {
    for (let next = waiting.pop(); going && next; next = waiting.pop()) await signInAnew(next)
  }
  const coming = Promise.all(times(3, keepComing))
  await keepKilling(running)
  going = false
  await coming
  await giveBack()
  await expect.poll(left, { timeout: 120_000, interval: 500 }).toBe(0)
  const compared = await Promise.all(users.map(compare))
  const sum = (way: Customer['way'], what: 'sessions' | 'arrived') =>
    compared.reduce((total, one, index) => total + (users[index]?.way === way ? one[what] : 0), 0)
  const wrong = compared.flatMap((one) => one.wrong)
  const acknowledged = users.filter((user) => user.acknowledged.length > 0).length
  console.log(
    `F01: ${kills} kills, ${acknowledged} sign-ins acknowledged, ${lost} answers lost: ${sum('mail', 'sessions')} to be mailed, ${sum('mail', 'arrived')} mails under one id each; ${sum('sms', 'sessions')} to be texted, ${sum('sms', 'arrived')} texts, none twice; ${wrong.length} wrong`,
  )
  figure('sign-ins lost, not announced or announced twice', wrong.length, ['=', 0])
  expect(wrong).toEqual([])
  expect(acknowledged).toBeGreaterThan(kills)
  expect(lost, 'answers were lost, or nothing was tried').toBeGreaterThan(0)
  expect(sum('sms', 'arrived')).toBeGreaterThan(0)
}, 480_000)
