import { setTimeout as sleep } from 'node:timers/promises'
import { changeEmail, changeMobile, changePassword, changeUsername } from '@hufu/contract/account'
import { userInfo } from '@hufu/contract/profile'
import { sendEmailCode, sendMobileCode } from '@hufu/contract/verify-code'
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest'
import { codeTo, fresh, messagesTo, sessionOf, type TestSite, times } from '../../apps/server/test/test-app.ts'
import { leeway } from '../../tools/checks/time-limit.ts'
import { type Running, runHufu } from '../../tools/run/product.ts'
import { figure } from '../harness/assert-figure.ts'
import { cpuMsOf } from '../harness/cpu-time.ts'
import { type Api, killed, startApi } from '../harness/environment.ts'
import { few, number, type User } from '../harness/harness.ts'
import { type OwnProduct, startOwnProduct } from '../harness/own-product.ts'
import { median } from '../harness/timing.ts'
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
  // What was compiled is kept by a process that ends in order; a release has nothing to compile.
  await (await startApi(environment, inject('logFolder'))).stop()
})
afterAll(() => product.stop())

const pick = seeded('F01')
const kills = few(50, 4)

/** What one user asked for, and what was said of it. */
interface Entry {
  kind: 'username' | 'email' | 'mobile' | 'password'
  value: string
  acknowledged: boolean
}

interface Customer {
  id: User['id']
  ledger: Entry[]
}

/** A new session that needs no check: what is under test is the change, not the way to it. */
async function checkedSession(id: User['id']): Promise<User> {
  const browser = await t.session(site, id)
  await t.deps.pool.query('UPDATE session SET two_factor_at = now() WHERE id = $1', [sessionOf(browser)])
  return browser
}

const lost = () => undefined

/** One change, from asking for its code to its answer; an answer that never came stays unacknowledged. */
async function change(browser: User, kind: Entry['kind'], ledger: Entry[]): Promise<boolean> {
  const note = (value: string): Entry => {
    const entry = { kind, value, acknowledged: false }
    ledger.push(entry)
    return entry
  }
  const send = async (entry: Entry, call: () => Promise<{ status: number }>) => {
    const answer = await call().catch(lost)
    entry.acknowledged = answer?.status === 200
    return entry.acknowledged
  }
  if (kind === 'username') {
    const username = fresh.username()
    return await send(note(username), () => browser.call(changeUsername, { username }))
  }
  if (kind === 'password') {
    const password = `Aa#${fresh.username().slice(0, 9)}`
    return await send(note(password), () => browser.call(changePassword, { password }))
  }
  if (kind === 'email') {
    const email = fresh.email()
    const asked = await browser.call(sendEmailCode, { email, type: 'authorize' }).catch(lost)
    if (asked?.status !== 200) return false
    const code = await codeTo(email)
    return await send(note(email), () => browser.call(changeEmail, { email, code }))
  }
  const mobile = fresh.mobile()
  const asked = await browser.call(sendMobileCode, number(mobile)).catch(lost)
  if (asked?.status !== 200) return false
  const code = await codeTo(mobile)
  return await send(note(mobile), () => browser.call(changeMobile, { ...number(mobile), code }))
}

const kinds: Entry['kind'][] = ['username', 'email', 'password', 'username', 'mobile']

async function keepChanging(customer: Customer, running: { going: boolean }): Promise<void> {
  let browser = await checkedSession(customer.id)
  for (let turn = 0; running.going; turn++) {
    const kind = kinds[turn % kinds.length] as Entry['kind']
    // Whether it was done or not isn't known then: the user signs in anew and goes on.
    if (!(await change(browser, kind, customer.ledger))) browser = await checkedSession(customer.id)
    await sleep(5)
  }
}

interface Away {
  /** From the kill until a call of a signed-in user is answered, by any process. */
  calls: number
  /** Until the killed process serves again, and how much of that it worked. */
  process: number
  worked: number
}

async function firstAnswer(browser: User): Promise<number> {
  const started = performance.now()
  while ((await browser.call(userInfo).catch(lost))?.status !== 200) await sleep(10)
  return performance.now() - started
}

/** Kills one process after the other and starts it again at the same address. */
async function keepKilling(): Promise<Away[]> {
  const away: Away[] = []
  const witness = await t.session(site, (await t.user(site)).id)
  for (let round = 0; round < kills; round++) {
    await sleep(150 + pick(250))
    const at = round % apis.length
    const api = apis[at] as Api
    await api.kill()
    const started = performance.now()
    const [again, calls] = await Promise.all([
      startApi(environment, inject('logFolder'), Number(new URL(api.url).port)),
      firstAnswer(witness),
    ])
    apis[at] = again
    away.push({ calls, process: performance.now() - started, worked: cpuMsOf(again.pid) })
  }
  return away
}

const count = async (query: string, ...values: unknown[]) =>
  (await t.deps.pool.query(`SELECT count(*)::int AS n FROM ${query}`, values)).rows[0].n as number

async function compare({ id, ledger }: Customer) {
  const { rows } = await t.deps.pool.query('SELECT username, email, mobile FROM users WHERE site_id = $1 AND id = $2', [
    site.id,
    id,
  ])
  const wrong: string[] = []
  for (const kind of ['username', 'email', 'mobile'] as const) {
    const entries = ledger.filter((entry) => entry.kind === kind)
    const last = entries.findLastIndex(({ acknowledged }) => acknowledged)
    if (last < 0) continue
    // What was acknowledged last stands, or something that was asked for after it.
    const possible = entries.slice(last).map(({ value }) => value)
    if (!possible.includes(rows[0][kind])) wrong.push(`${kind} is ${rows[0][kind]}, not one of ${possible}`)
    const prefix = kind === 'mobile' ? '+86' : ''
    const owned = await count(
      'identity WHERE site_id = $1 AND user_id = $2 AND kind = $3 AND value = $4',
      site.id,
      id,
      kind,
      prefix + rows[0][kind],
    )
    const all = await count('identity WHERE site_id = $1 AND user_id = $2 AND kind = $3', site.id, id, kind)
    if (owned !== 1 || all !== 1) wrong.push(`${kind}: ${all} names owned`)
  }
  for (const kind of ['username', 'email', 'mobile', 'password'] as const) {
    const entries = ledger.filter((entry) => entry.kind === kind)
    const acknowledged = entries.filter((entry) => entry.acknowledged).length
    const recorded = await count(
      'security_log WHERE site_id = $1 AND user_id = $2 AND event = $3',
      site.id,
      id,
      `${kind}.change`,
    )
    if (recorded < acknowledged || recorded > entries.length)
      wrong.push(`${kind}: ${recorded} recorded, ${acknowledged} acknowledged of ${entries.length}`)
  }
  return wrong
}

test('F01 processes killed in the middle lose no acknowledged change and double none', async () => {
  const customers: Customer[] = await Promise.all(times(6, async () => ({ id: (await t.user(site)).id, ledger: [] })))
  const running = { going: true }
  const work = Promise.all(customers.map((customer) => keepChanging(customer, running)))
  const away = await keepKilling()
  running.going = false
  await work
  const wrong = (await Promise.all(customers.map(compare))).flat()
  const entries = customers.flatMap(({ ledger }) => ledger)
  const acknowledged = entries.filter((entry) => entry.acknowledged).length
  const recorded = await count("security_log WHERE site_id = $1 AND event LIKE '%.change'", site.id)
  // Each change is texted once; how often it is mailed depends on whether the address was changed, too.
  const notices = await count("pgboss.job WHERE name = 'sms-notice' AND data->>'siteId' = $1", site.id)
  const undoable = await count('account_change WHERE site_id = $1', site.id)
  const most = (what: keyof Away) => Math.max(...away.map((one) => one[what]))
  console.log(
    `F01: ${kills} kills, ${entries.length} changes asked for, ${acknowledged} acknowledged, ${recorded} recorded, ${notices} notices, ${wrong.length} wrong; calls answered again after ${most('calls').toFixed(0)} ms at most, the killed process back after ${most('process').toFixed(0)} ms, ${most('worked')} ms of them its own work`,
  )
  figure('changes lost or doubled', wrong.length, ['=', 0])
  figure('notices of changes too many or too few', Math.abs(notices - recorded), ['=', 0])
  figure('changes that could not be undone, or twice', Math.abs(undoable - recorded), ['=', 0])
  figure(
    'work of a killed process until it served again',
    median(away.map(({ worked }) => worked)) / 1_000,
    ['<=', 2 * leeway],
    's',
  )
  figure('longest until calls were answered again', most('calls') / 1_000, ['<=', 2 * leeway], 's')
  expect(wrong).toEqual([])
  expect(acknowledged).toBeGreaterThan(kills)
})

test('F01 a worker killed in the middle: every mail arrives, doubles under one id, no text twice', async () => {
  // Thousands of notices of before would push those of these users out of the inbox, which keeps the newest thousand.
  await t.deps.pool.query("DELETE FROM pgboss.job WHERE name IN ('mail-notice', 'sms-notice')")
  const users = await Promise.all(times(few(60, 20), () => t.user(site)))
  for (const [index, user] of users.entries()) {
    const browser = await checkedSession(user.id)
    const kind = index % 2 === 0 ? 'username' : 'mobile'
    expect(await change(browser, kind, [])).toBe(true)
  }
  const start = () => runHufu('work', { ...environment, HUFU_LOG_LEVEL: 'warn' }, [], 2)
  let worker: Running = start()
  onTestFinished(() => worker.stop())
  const left = () =>
    count(
      "pgboss.job WHERE name IN ('mail-notice', 'sms-notice') AND data->>'siteId' = $1 AND state IN ('created', 'retry', 'active')",
      site.id,
    )
  for (let round = 0; round < few(8, 2); round++) {
    await sleep(1_500 + pick(1_000))
    await killed(worker)
    // What a killed worker held is given back when its time is over; here that time is over at once.
    await t.deps.pool.query("UPDATE pgboss.job SET started_on = started_on - interval '1 hour' WHERE state = 'active'")
    worker = start()
  }
  // A text that a killed worker had taken is never sent again, which may be all of them: this one meets no kill.
  const spared = await t.user(site)
  expect(await change(await checkedSession(spared.id), 'mobile', [])).toBe(true)
  await expect.poll(left, { timeout: 120_000, interval: 500 }).toBe(0)
  const announcedTo = async (receiver: string) =>
    ((await messagesTo(receiver)) as { text: string; messageId?: string }[]).filter(
      ({ text }) => /如非本人操作|如果不是您/.test(text) && !/(?<!\w)\d{6}(?!\w)/.test(text),
    )
  let mails = 0
  let doubled = 0
  let texts = 0
  for (const [index, { email, mobile }] of users.entries()) {
    const announced = await announcedTo(index % 2 === 0 ? email : mobile)
    if (index % 2 === 0) {
      mails += announced.length > 0 ? 1 : 0
      doubled += Math.max(0, announced.length - 1)
      expect(new Set(announced.map(({ messageId }) => messageId)).size, email).toBe(1)
    } else {
      texts += announced.length
      expect(announced.length, mobile).toBeLessThanOrEqual(1)
    }
  }
  console.log(
    `F01: ${users.length} notices under a worker that was killed: ${mails} of ${Math.ceil(users.length / 2)} mails arrived, ${doubled} doubled under their id; ${texts} of ${Math.floor(users.length / 2)} texts, none twice`,
  )
  figure('mails that never arrived', Math.ceil(users.length / 2) - mails, ['=', 0])
  expect(await announcedTo(spared.mobile)).toHaveLength(1)
})
