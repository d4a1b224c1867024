import { bindAuthorization, createAuthorization } from '@hufu/contract/authorize'
import { removeDevice } from '@hufu/contract/devices'
import { loginByMobile, loginByPassword, logout } from '@hufu/contract/login'
import { userSecurityLog } from '@hufu/contract/merchant-users'
import { userInfo } from '@hufu/contract/profile'
import { disownSignIn, listOwnSecurity } from '@hufu/contract/security'
import { twoFactorState } from '@hufu/contract/two-factor'
import { sendMobileCode } from '@hufu/contract/verify-code'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { member, password, signInAgain } from '../../../test/account-user.ts'
import { newOperator } from '../../../test/operator.ts'
import {
  codeTo,
  sessionOf,
  startTestApp,
  type TestApp,
  type TestBrowser,
  type TestSite,
  times,
} from '../../../test/test-app.ts'
import type { UserId } from '../../platform/ids.ts'
import { recordSecurity } from '../../shared/audit/security-log.ts'

let t: TestApp
let site: TestSite
const client = { id: 'shop', name: '青屿商城', sources: ['https://shop.example.com'] }
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite({ clients: [client] })
})
afterAll(() => t.close())

async function history(browser: TestBrowser, page: { top?: number; skip?: number } = {}) {
  const { data } = await browser.call(listOwnSecurity, page)
  if (!data) throw new Error('no list')
  return data
}

async function recorded(userId: string, event = 'login.disowned'): Promise<{ detail: unknown; address: string }[]> {
  const { rows } = await t.deps.pool.query(
    'SELECT detail, host(address) AS address FROM security_log WHERE user_id = $1 AND event = $2',
    [userId, event],
  )
  return rows
}

const knownBrowsers = async (userId: string) =>
  (await t.deps.pool.query('SELECT FROM known_browser WHERE user_id = $1', [userId])).rowCount

/** The browsers of the account are known for more than 72 hours. */
const ageBrowsers = (userId: string) =>
  t.deps.pool.query("UPDATE known_browser SET first_seen = now() - interval '73 hours' WHERE user_id = $1", [userId])

const signInWith = (browser: TestBrowser, account: string) => browser.call(loginByPassword, { account, password })

test('what happened to the own account stands there, newest first, with the session of each sign-in', async () => {
  const first = await member(t, site)
  const gone = await signInAgain(t, site, first)
  const desk = t.browser(site, { address: '120.24.78.68' })
  await signInWith(desk, first.username)
  await first.call(removeDevice, { id: sessionOf(gone) })
  const { count, more, data } = await history(first)
  expect({ count, more }).toEqual({ count: 4, more: false })
  expect(data.map(({ event }) => event)).toEqual(['session.remove', 'login', 'login', 'login'])
  expect(data.map(({ session }) => session)).toEqual([
    null,
    { id: sessionOf(desk), live: true, current: false, disowned: false },
    { id: sessionOf(gone), live: false, current: false, disowned: false },
    { id: sessionOf(first), live: true, current: true, disowned: false },
  ])
  expect(data[1]).toMatchObject({ ip: '120.24.78.68', region: '广东省 深圳市', method: 'password', client: null })
  expect((await history(first, { top: 1, skip: 1 })).data).toEqual([data[1]])
  await member(t, site)
  expect((await history(first)).count).toBe(4)
  expect((await t.browser(site).call(listOwnSecurity, {})).code).toBe('NOT_LOGGED_IN')
})

test('failures that are summed by the minute are lines of their own, each with its own id', async () => {
  const user = await member(t, site)
  const fail = () => t.browser(site).call(loginByPassword, { account: user.username, password: 'wrong' })
  await fail()
  await t.deps.pool.query(
    "UPDATE security_log SET at = at - interval '1 minute' WHERE user_id = $1 AND event = 'login.failed'",
    [user.id],
  )
  await fail()
  const failures = (await history(user)).data.filter(({ event }) => event === 'login.failed')
  expect(failures).toHaveLength(2)
  expect(new Set(failures.map(({ id }) => id)).size).toBe(2)
})

test('failures of strangers push nothing out of sight: the newest hundred of them stand beside all that was done', async () => {
  const user = await member(t, site)
  const thief = await signInAgain(t, site, user)
  await t.deps.pool.query("UPDATE security_log SET at = at - interval '2 days' WHERE user_id = $1", [user.id])
  const flood = `INSERT INTO security_log (site_id, at, user_id, event, address, detail)
    SELECT $1, date_trunc('minute', now()) - make_interval(mins => n), $2, $3, '203.0.113.4', '{"count": 1}'
    FROM generate_series(1, 700) n`
  for (const event of ['login.failed', 'check.failed']) await t.deps.pool.query(flood, [site.id, user.id, event])
  const operator = await newOperator(t, site, ['READ'])
  const read = await operator.call(userSecurityLog, { id: user.id, top: 100, skip: 50 })
  for (const list of [await history(user, { top: 100, skip: 50 }), read.data]) {
    expect(list).toMatchObject({ count: 102, more: true })
    expect(list?.data.map(({ event }) => event).slice(-3)).toEqual([
      expect.stringContaining('.failed'),
      'login',
      'login',
    ])
  }
  const newest = await history(user, { top: 100, skip: 0 })
  expect(Math.min(...newest.data.map(({ time }) => time))).toBeGreaterThan(Date.now() - 53 * 60_000)
  expect((await history(user, { top: 1, skip: 100 })).data[0]?.session?.id).toBe(sessionOf(thief))
})

test('behind a thousand other lines older failures are not shown either', async () => {
  const user = await member(t, site)
  const fill = `INSERT INTO security_log (site_id, at, user_id, event)
    SELECT $1, now() - make_interval(mins => n), $2, $3 FROM generate_series($4::int, $5::int) n`
  await t.deps.pool.query(fill, [site.id, user.id, 'check', 1, 1100])
  await t.deps.pool.query(fill, [site.id, user.id, 'login.failed', 950, 1200])
  const { count, more, data } = await history(user, { top: 100, skip: 1000 })
  expect({ count, more }).toEqual({ count: 1051, more: true })
  expect(data).toHaveLength(51)
})

test('an expired session is no longer live, and a deleted one is none', async () => {
  const user = await member(t, site)
  const idle = await signInAgain(t, site, user)
  const old = await signInAgain(t, site, user)
  const lost = await signInAgain(t, site, user)
  const { pool } = t.deps
  await pool.query(
    "UPDATE session_access SET last_access = now() - interval '30 days 1 minute' WHERE session_id = $1",
    [sessionOf(idle)],
  )
  await pool.query("UPDATE session SET created_at = now() - interval '180 days 1 minute' WHERE id = $1", [
    sessionOf(old),
  ])
  await pool.query('DELETE FROM session WHERE id = $1', [sessionOf(lost)])
  expect((await history(user)).data.map(({ session }) => session?.live)).toEqual([undefined, false, false, true])
})

test('an authorized site is named; what others did shows no address, not even of who took over the number', async () => {
  const user = await member(t, site)
  const { data: id = '' } = await user.call(createAuthorization, { source: 'https://shop.example.com/in' })
  await user.call(bindAuthorization, { id })
  const userId = user.id as UserId
  await recordSecurity(t.deps.db, site.id, { event: 'mobile.moved', userId, address: '120.24.78.68' })
  await recordSecurity(t.deps.db, site.id, { event: 'account.rights', userId, address: null })
  const rows = (await history(user)).data.filter(({ event }) => event !== 'login')
  expect(rows.map(({ event, client: at, ip, region }) => ({ event, at, ip, region }))).toEqual([
    { event: 'account.rights', at: null, ip: null, region: null },
    { event: 'mobile.moved', at: null, ip: null, region: null },
    { event: 'authorize', at: '青屿商城', ip: '127.0.0.1', region: null },
  ])
})

test('不是我: the session ends within the call, its browser is a stranger, the entry says so and the others stay', async () => {
  const user = await member(t, site)
  const thief = await signInAgain(t, site, user)
  const other = await signInAgain(t, site, user)
  await ageBrowsers(user.id)
  expect((await thief.call(userInfo)).status).toBe(200)
  expect(await user.call(disownSignIn, { id: sessionOf(thief).toUpperCase() })).toMatchObject({ data: null })
  expect((await thief.call(userInfo)).code).toBe('SESSION_REMOVED')
  expect((await other.call(userInfo)).status).toBe(200)
  expect(await recorded(user.id)).toEqual([{ detail: { session: sessionOf(thief) }, address: '127.0.0.1' }])
  expect(await knownBrowsers(user.id)).toBe(2)
  const { data } = await history(user)
  expect(data[0]).toMatchObject({ event: 'login.disowned', session: null })
  expect(data.find(({ session }) => session?.id === sessionOf(thief))?.session).toMatchObject({
    live: false,
    disowned: true,
  })
})

test('a browser that was known for long and is disowned owes a second proof when it comes back', async () => {
  const user = await member(t, site)
  const thief = t.browser(site)
  const enter = async () => {
    await t.passMinute(site, `+86${user.mobile}`)
    await thief.call(sendMobileCode, { mobilePrefix: '86', mobile: user.mobile })
    await thief.call(loginByMobile, { mobilePrefix: '86', mobile: user.mobile, code: await codeTo(user.mobile) })
  }
  await enter()
  await ageBrowsers(user.id)
  expect((await thief.call(twoFactorState)).data?.second).toEqual([])
  await user.call(disownSignIn, { id: sessionOf(thief) })
  await enter()
  expect((await thief.call(twoFactorState)).data?.second).toEqual(['password', 'email'])
})

test('whatever else that browser is signed in with ends too, except in the user’s own browser', async () => {
  const user = await member(t, site)
  const thief = await signInAgain(t, site, user)
  const firstOfThief = sessionOf(thief)
  await signInWith(thief, user.username)
  await ageBrowsers(user.id)
  await user.call(disownSignIn, { id: firstOfThief })
  expect((await thief.call(userInfo)).code).toBe('SESSION_REMOVED')
  const before = sessionOf(user)
  await signInWith(user, user.username)
  expect((await user.call(disownSignIn, { id: before })).status).toBe(200)
  expect((await user.call(userInfo)).status).toBe(200)
  expect(await knownBrowsers(user.id)).toBe(1)
  expect(await recorded(user.id)).toHaveLength(2)
})

test('D121 said in a browser that is new to the account, it ends the sessions of the other and forgets no browser', async () => {
  const user = await member(t, site)
  const desk = await signInAgain(t, site, user)
  await signInWith(desk, user.username)
  expect((await user.call(disownSignIn, { id: sessionOf(desk) })).status).toBe(200)
  expect((await desk.call(userInfo)).code).toBe('SESSION_REMOVED')
  expect(await knownBrowsers(user.id)).toBe(2)
})

test('one that has ended already is marked as well; said again, nothing more is recorded', async () => {
  const user = await member(t, site)
  const thief = await signInAgain(t, site, user)
  const id = sessionOf(thief)
  await thief.call(logout)
  await ageBrowsers(user.id)
  for (const _ of times(2, () => 0)) expect((await user.call(disownSignIn, { id })).status).toBe(200)
  expect((await history(user)).data.find(({ session }) => session?.id === id)?.session).toMatchObject({
    live: false,
    disowned: true,
  })
  expect(await recorded(user.id)).toHaveLength(1)
  expect(await knownBrowsers(user.id)).toBe(1)
})

test('ten at once: all succeed and it is recorded once', async () => {
  const user = await member(t, site)
  const thief = await signInAgain(t, site, user)
  const answers = await Promise.all(times(10, () => user.call(disownSignIn, { id: sessionOf(thief) })))
  expect(answers.map(({ status }) => status)).toEqual(times(10, () => 200))
  expect(await recorded(user.id)).toHaveLength(1)
})

test('two browsers that disown each other: one stays, ten times over', async () => {
  const one = await member(t, site)
  const other = await signInAgain(t, site, one)
  for (const _ of times(10, () => 0)) {
    const answers = await Promise.all([
      one.call(disownSignIn, { id: sessionOf(other) }),
      other.call(disownSignIn, { id: sessionOf(one) }),
    ])
    expect(answers.map(({ code }) => code ?? 'done').sort()).toEqual(['SESSION_REMOVED', 'done'])
    const left = await Promise.all([one, other].map(async (browser) => (await browser.call(userInfo)).status))
    expect(left.sort()).toEqual([200, 401])
    for (const browser of [one, other]) await signInWith(browser, one.username)
  }
})

test('A22 another user’s sign-in, one of another site and one that never was are unknown alike; the own one is refused', async () => {
  const user = await member(t, site)
  const stranger = await member(t, site)
  const foreigner = await member(t, await t.codeSite())
  const answers: object[] = []
  for (const id of [sessionOf(stranger), sessionOf(foreigner), crypto.randomUUID()]) {
    const { status, code, message, details } = await user.call(disownSignIn, { id })
    answers.push({ status, code, message, details })
  }
  expect(answers).toEqual(times(3, () => answers[2]))
  expect(answers[2]).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  for (const browser of [stranger, foreigner]) expect((await browser.call(userInfo)).status).toBe(200)
  expect(await user.call(disownSignIn, { id: sessionOf(user) })).toMatchObject({
    status: 409,
    code: 'CURRENT_SESSION',
  })
  expect((await user.call(userInfo)).status).toBe(200)
  expect(await recorded(user.id)).toEqual([])
})
