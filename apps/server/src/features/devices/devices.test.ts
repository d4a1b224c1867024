import { listDevices, removeDevice, removeOtherDevices } from '@hufu/contract/devices'
import { loginByPassword, logout } from '@hufu/contract/login'
import { changeNickname, userInfo } from '@hufu/contract/profile'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type BrowserOptions,
  fresh,
  sessionOf,
  startTestApp,
  type TestApp,
  type TestBrowser,
  type TestSite,
  times,
} from '../../../test/test-app.ts'
import { createUser } from '../users/users.service.ts'

let t: TestApp
let second: TestApp
let site: TestSite
beforeAll(async () => {
  t = await startTestApp()
  // Another process of the same deployment.
  second = await startTestApp({
    HUFU_DATABASE_URL: t.deps.config.databaseUrl,
    HUFU_KEYS: [...t.deps.config.keys.byId].map(([id, key]) => `${id}:${key.toString('base64')}`).join(','),
  })
  site = await t.site()
  await second.deps.sites.refresh()
})
afterAll(async () => {
  await second.close()
  await t.close()
})

const password = 'Qy#2026autumn'
const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'

/** A user and a way to sign in with one more browser. */
async function user(at = site) {
  const username = fresh.username()
  const id = await createUser(t.deps, at.id, { username, password }, 'test')
  const signIn = async (options: BrowserOptions = {}) => {
    const browser = t.browser(at, options)
    expect((await browser.call(loginByPassword, { account: username, password })).status).toBe(200)
    return browser
  }
  return { id, signIn }
}

/** The same browser, served by the other process. */
function elsewhere({ cookies }: TestBrowser): TestBrowser {
  const browser = second.browser(site)
  for (const [name, value] of cookies) browser.cookies.set(name, value)
  return browser
}

async function list(browser: TestBrowser, page: { top?: number; skip?: number } = {}) {
  const { data } = await browser.call(listDevices, page)
  if (!data) throw new Error('no list')
  return data
}

async function logged(event: string, userId: string): Promise<Record<string, unknown>[]> {
  const { rows } = await t.deps.pool.query(
    'SELECT detail, host(address) AS address FROM security_log WHERE event = $1 AND user_id = $2 ORDER BY at',
    [event, userId],
  )
  return rows
}

test('S211 S212 S370 D034 the own devices stand there with all fields, newest first, exactly the caller as current', async () => {
  const { signIn } = await user()
  const before = Date.now()
  const first = await signIn({ userAgent: chrome, address: '120.24.78.68' })
  const last = await signIn({ address: '2001:db8::7' })
  const { count, data } = await list(first)
  expect(count).toBe(2)
  expect(data.map(({ id }) => id)).toEqual([sessionOf(last), sessionOf(first)])
  expect(data[1]).toEqual({
    id: sessionOf(first),
    browser: 'Chrome 141',
    device: '电脑',
    os: expect.stringContaining('Windows'),
    ip: '120.24.78.68',
    region: '广东省 深圳市',
    time: expect.any(Number),
    lastAccess: expect.any(Number),
    current: true,
  })
  expect(data[0]).toMatchObject({ ip: '2001:db8::7', current: false })
  expect(data[1]?.time).toBeGreaterThan(before - 60_000)
  expect(Number.isInteger(data[1]?.time)).toBe(true)
  expect((await list(last)).data.map(({ current }) => current)).toEqual([true, false])
})

test('D034 top and skip choose the rows, and the count is of all, also past the end', async () => {
  const { signIn } = await user()
  const browsers: TestBrowser[] = []
  for (let made = 0; made < 12; made++) browsers.push(await signIn())
  const newestFirst = browsers.map(sessionOf).reverse()
  const [caller = t.browser(site)] = browsers
  const ids = async (page: { top?: number; skip?: number }) => {
    const { count, data } = await list(caller, page)
    expect(count).toBe(12)
    return data.map(({ id }) => id)
  }
  expect(await ids({})).toEqual(newestFirst.slice(0, 10))
  expect(await ids({ top: 5, skip: 5 })).toEqual(newestFirst.slice(5, 10))
  expect(await ids({ top: 5, skip: 10 })).toEqual(newestFirst.slice(10))
  expect(await ids({ skip: 12 })).toEqual([])
  for (const page of [{ top: 0 }, { top: 101 }, { skip: -1 }, { top: 1.5 }]) {
    expect((await caller.call(listDevices, page)).code).toBe('INPUT_INVALID')
  }
})

test('what is ended, idle for 30 days or older than 180 is not listed', async () => {
  const { signIn } = await user()
  const kept = await signIn()
  const left = await signIn()
  const idle = await signIn()
  const old = await signIn()
  const resting = await signIn()
  await left.call(logout)
  const { pool } = t.deps
  const age = async (browser: TestBrowser, created: string, accessed: string) => {
    await pool.query('UPDATE session SET created_at = now() - $2::interval WHERE id = $1', [
      sessionOf(browser),
      created,
    ])
    await pool.query('UPDATE session_access SET last_access = now() - $2::interval WHERE session_id = $1', [
      sessionOf(browser),
      accessed,
    ])
  }
  await age(idle, '31 days', '30 days 1 minute')
  await age(old, '180 days 1 minute', '1 minute')
  await age(resting, '179 days', '29 days 23 hours')
  const { count, data } = await list(kept)
  expect(count).toBe(2)
  expect(data.map(({ id }) => id)).toEqual([sessionOf(kept), sessionOf(resting)])
  expect(data[1]?.lastAccess).toBeLessThan(Date.now() - 29 * 86_400_000)
})

test('S371 D035 D057 a removed device is refused at once in every process with its reason; the others stay', async () => {
  const { id, signIn } = await user()
  const own = await signIn({ address: '120.24.78.68' })
  const gone = await signIn()
  const other = await signIn()
  // Both processes have seen it, so that it is in the cache.
  expect((await gone.call(userInfo)).status).toBe(200)
  expect((await elsewhere(gone).call(userInfo)).status).toBe(200)
  expect(await own.call(removeDevice, { id: sessionOf(gone) })).toMatchObject({ status: 200, data: null })
  for (const browser of [gone, elsewhere(gone)]) {
    expect(await browser.call(userInfo)).toMatchObject({ status: 401, code: 'SESSION_REMOVED' })
    expect(await browser.call(changeNickname, { nickname: '晚了' })).toMatchObject({ code: 'SESSION_REMOVED' })
  }
  expect((await other.call(userInfo)).status).toBe(200)
  expect((await own.call(userInfo)).status).toBe(200)
  expect((await list(own)).count).toBe(2)
  expect(await logged('session.remove', id)).toEqual([
    { detail: { session: sessionOf(gone) }, address: '120.24.78.68' },
  ])
})

test('D057 removing the current device is a logout: its cookies go', async () => {
  const { signIn } = await user()
  const browser = await signIn()
  const kept = elsewhere(browser)
  const id = sessionOf(browser)
  expect((await browser.call(removeDevice, { id: id.toUpperCase() })).status).toBe(200)
  expect(browser.cookies.has('__Host-hufu')).toBe(false)
  expect(browser.cookies.has('__Host-hufu-in')).toBe(false)
  expect((await browser.call(userInfo)).code).toBe('NOT_LOGGED_IN')
  expect((await kept.call(userInfo)).code).toBe('SESSION_REMOVED')
  const { rows } = await t.deps.pool.query('SELECT end_reason FROM session WHERE id = $1', [id])
  expect(rows).toEqual([{ end_reason: 'logout' }])
})

test('S333 another user’s device, one of another site, one that is gone and one that never was are unknown alike', async () => {
  const { signIn } = await user()
  const own = await signIn()
  const gone = await signIn()
  await own.call(removeDevice, { id: sessionOf(gone) })
  const stranger = await (await user()).signIn()
  const abroad = await t.site()
  const foreigner = await (await user(abroad)).signIn()
  const answers: object[] = []
  for (const id of [sessionOf(stranger), sessionOf(foreigner), sessionOf(gone), crypto.randomUUID()]) {
    const { status, code, message, details } = await own.call(removeDevice, { id })
    answers.push({ status, code, message, details })
  }
  expect(answers).toEqual(times(4, () => answers[3]))
  expect(answers[3]).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  expect((await stranger.call(userInfo)).status).toBe(200)
  expect((await foreigner.call(userInfo)).status).toBe(200)
  expect((await list(stranger)).count).toBe(1)
  expect((await own.call(removeDevice, { id: 'x' })).code).toBe('INPUT_INVALID')
})

test('S372 D035 removing all keeps the current one, and no other user loses theirs', async () => {
  const { id, signIn } = await user()
  const own = await signIn()
  const others = [await signIn(), await signIn(), await signIn()]
  const stranger = await (await user()).signIn()
  for (const browser of others) expect((await elsewhere(browser).call(userInfo)).status).toBe(200)
  expect(await own.call(removeOtherDevices)).toMatchObject({ status: 200, data: { removed: 3 } })
  for (const browser of others) {
    expect(await elsewhere(browser).call(userInfo)).toMatchObject({ status: 401, code: 'SESSION_REMOVED' })
  }
  expect(await list(own)).toMatchObject({ count: 1, data: [{ id: sessionOf(own), current: true }] })
  expect((await stranger.call(userInfo)).status).toBe(200)
  expect((await own.call(removeOtherDevices)).data).toEqual({ removed: 0 })
  const [entry] = await logged('session.removeAll', id)
  const named = JSON.stringify(entry?.detail)
  for (const browser of others) expect(named).toContain(sessionOf(browser))
})

test('two processes that remove the same device at once: one did, and calls in between bring nothing back', async () => {
  const { id, signIn } = await user()
  const own = await signIn()
  const gone = await signIn()
  const there = elsewhere(gone)
  const asked = { id: sessionOf(gone) }
  const answers = await Promise.all([
    ...times(5, () => own.call(removeDevice, asked)),
    ...times(5, () => elsewhere(own).call(removeDevice, asked)),
    ...times(20, () => gone.call(userInfo)),
    ...times(20, () => there.call(userInfo)),
  ])
  const codes = answers.slice(0, 10).map(({ code }) => code ?? 'done')
  expect(codes.sort()).toEqual([...times(9, () => 'NOT_FOUND'), 'done'])
  for (const browser of [gone, there]) expect((await browser.call(userInfo)).code).toBe('SESSION_REMOVED')
  expect(await logged('session.remove', id)).toHaveLength(1)
})

test('two browsers that remove all others at once, in two processes: each device ends once and one of them stays', async () => {
  const { signIn } = await user()
  const here = await signIn()
  const there = elsewhere(await signIn())
  const others = [await signIn(), await signIn(), await signIn()]
  const answers = await Promise.all([here.call(removeOtherDevices), there.call(removeOtherDevices)])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
  expect(answers.flatMap(({ data }) => data?.removed ?? [])).toEqual([4])
  const codes = await Promise.all([here, there].map(async (browser) => (await browser.call(userInfo)).status))
  expect(codes.sort()).toEqual([200, 401])
  for (const browser of others) expect((await browser.call(userInfo)).code).toBe('SESSION_REMOVED')
})

const browsersOf = async (id: string): Promise<{ young: boolean; used: number }[]> => {
  const { rows } = await t.deps.pool.query(
    `SELECT first_seen > now() - interval '72 hours' AS young,
      round(extract(epoch FROM now() - last_used) / 86400)::int AS used FROM known_browser WHERE user_id = $1`,
    [id],
  )
  return rows
}

const passTime = (id: string, interval: string, columns = ['first_seen', 'last_used']) =>
  t.deps.pool.query(
    `UPDATE known_browser SET ${columns.map((column) => `${column} = ${column} - $2::interval`)} WHERE user_id = $1`,
    [id, interval],
  )

test('D120 a device that is removed is a browser that the account does not know any more; signing out keeps it known', async () => {
  const { id, signIn } = await user()
  const [own, gone, left] = [await signIn(), await signIn(), await signIn()]
  await passTime(id, '4 days')
  await left.call(removeDevice, { id: sessionOf(left) })
  expect(await browsersOf(id)).toHaveLength(3)
  await own.call(removeDevice, { id: sessionOf(gone) })
  expect(await browsersOf(id)).toHaveLength(2)
  await own.call(removeOtherDevices)
  expect(await browsersOf(id)).toEqual([{ young: false, used: 4 }])
})

test('D120 an older session of the own browser is removed without forgetting the browser', async () => {
  const { id, signIn } = await user()
  const own = await signIn()
  await passTime(id, '4 days')
  const before = sessionOf(own)
  const { rows } = await t.deps.pool.query('SELECT username FROM users WHERE id = $1', [id])
  expect((await own.call(loginByPassword, { account: rows[0].username, password })).status).toBe(200)
  expect((await own.call(removeDevice, { id: before })).status).toBe(200)
  expect(await browsersOf(id)).toEqual([{ young: false, used: 0 }])
})

test('D121 a removal from a browser that is new to the account ends sessions and forgets no browser', async () => {
  const { id, signIn } = await user()
  const [first, other] = [await signIn(), await signIn()]
  await passTime(id, '4 days')
  const thief = await signIn()
  expect((await thief.call(removeDevice, { id: sessionOf(first) })).status).toBe(200)
  expect((await thief.call(removeOtherDevices)).data).toEqual({ removed: 1 })
  for (const browser of [first, other]) expect((await browser.call(userInfo)).code).toBe('SESSION_REMOVED')
  expect(await browsersOf(id)).toHaveLength(3)
})

test('D122 a browser that is not used for 180 days is new again, also before the clean-up, and use puts that off', async () => {
  const { id, signIn } = await user()
  const browser = await signIn()
  await passTime(id, '180 days')
  const { rows } = await t.deps.pool.query('SELECT username FROM users WHERE id = $1', [id])
  const enter = () => browser.call(loginByPassword, { account: rows[0].username, password })
  await enter()
  expect(await browsersOf(id)).toEqual([{ young: true, used: 0 }])
  await passTime(id, '100 days')
  await enter()
  await passTime(id, '100 days')
  await enter()
  expect(await browsersOf(id)).toEqual([{ young: false, used: 0 }])
  // Continued use of a session counts as well.
  await passTime(id, '20 days')
  await t.deps.pool.query("UPDATE session_access SET last_access = now() - interval '11 minutes' WHERE user_id = $1", [
    id,
  ])
  await browser.call(userInfo)
  await expect.poll(() => browsersOf(id)).toEqual([{ young: false, used: 0 }])
})
