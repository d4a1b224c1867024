import { createHash } from 'node:crypto'
import { listDevices } from '@hufu/contract/devices'
import { logout } from '@hufu/contract/login'
import { userInfo } from '@hufu/contract/profile'
import { checkScanRequest, createScanRequest, processScanRequest } from '@hufu/contract/scan-login'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type BrowserOptions,
  sessionOf,
  startTestApp,
  type TestApp,
  type TestBrowser,
  type TestSite,
  times,
} from '../../../test/test-app.ts'

let t: TestApp
let site: TestSite
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite({ name: '青屿生活' })
})
afterAll(() => t.close())

const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'
const shenzhen = '120.24.78.68'
const shanghai = '202.96.209.5'

/** A browser that shows a code, and the request behind it. */
async function waiting(options: BrowserOptions = {}, at = site, by = t) {
  const browser = by.browser(at, { userAgent: chrome, address: shenzhen, ...options })
  const { data } = await browser.call(createScanRequest)
  if (!data) throw new Error('no request was made')
  const { origin, ...request } = data
  return { browser, request, origin, check: () => browser.call(checkScanRequest, request) }
}
type Request = Awaited<ReturnType<typeof waiting>>['request']

const decide = (user: TestBrowser, request: Request, status: 0 | 1 | 2) =>
  user.call(processScanRequest, { ...request, status })

async function approved(options: BrowserOptions = {}) {
  const desk = await waiting(options)
  const user = await t.signIn(site)
  await decide(user, desk.request, 0)
  expect((await decide(user, desk.request, 1)).status).toBe(200)
  return { ...desk, user }
}

const keyOf = ({ id }: Request, at = site) => `{scan:${at.id}:${id}}`

async function logged(userId: string, event: string): Promise<Record<string, unknown>[]> {
  const { rows } = await t.deps.pool.query(
    'SELECT detail, host(address) AS address FROM security_log WHERE event = $1 AND user_id = $2',
    [event, userId],
  )
  return rows
}

test('S210 S358 a request is made with id, time and ip by the clock of Redis, and its browser gets a secret of its own', async () => {
  const storeTime = async () => Number((await t.deps.redis.time())[0]) * 1000
  const before = await storeTime()
  const { browser, request, origin } = await waiting()
  expect(request).toEqual({ id: expect.stringMatching(/^[\w-]{22}$/), time: expect.any(Number), ip: shenzhen })
  expect(request.time).toBeGreaterThanOrEqual(before)
  expect(request.time).toBeLessThan((await storeTime()) + 1_000)
  expect(origin).toBe(site.origin)
  const secret = browser.cookies.get(`__Host-hufu-scan-${request.id}`)
  expect(secret).toMatch(/^[\w-]{43}$/)
  const record = await t.deps.redis.hgetall(keyOf(request))
  expect(record).toMatchObject({ time: String(request.time), ip: shenzhen, status: '-1', scanner: '' })
  expect(JSON.stringify(record)).not.toContain(secret)
  expect(await t.deps.redis.ttl(keyOf(request))).toBeGreaterThan(100)
})

test('a site without the method makes no requests', async () => {
  const other = await t.site({ methods: ['mobile'] })
  expect(await t.call(other, createScanRequest)).toMatchObject({ status: 403, code: 'METHOD_DISABLED' })
})

test('S258 S259 S260 S265 S359 S360 waiting, scanned and approved: the waiting browser is signed in as the approver', async () => {
  const desk = await waiting()
  const user = await t.signIn(site, { address: shenzhen })
  expect((await desk.check()).data).toEqual({ status: -1 })
  expect((await decide(user, desk.request, 0)).status).toBe(200)
  expect((await desk.check()).data).toEqual({ status: 0 })
  expect((await decide(user, desk.request, 1)).status).toBe(200)
  expect((await desk.check()).data).toEqual({ status: 1 })
  expect((await desk.browser.call(userInfo)).data).toMatchObject({ id: user.id, twoFactor: false })
  const { data: devices } = await user.call(listDevices, {})
  expect(devices?.data[0]).toMatchObject({ browser: 'Chrome 141', os: 'Windows', ip: shenzhen, current: false })
  expect(await logged(user.id, 'scan.approved')).toEqual([
    { address: shenzhen, detail: { browser: 'Chrome 141', os: 'Windows', ip: shenzhen, region: '广东省 深圳市' } },
  ])
  expect(await logged(user.id, 'login')).toContainEqual(
    expect.objectContaining({ detail: expect.objectContaining({ method: 'scan' }) }),
  )
})

test('S261 S266 a rejected request says so and begins no session', async () => {
  const desk = await waiting()
  const user = await t.signIn(site)
  await decide(user, desk.request, 0)
  expect((await decide(user, desk.request, 2)).status).toBe(200)
  expect((await desk.check()).data).toEqual({ status: 2 })
  expect(desk.browser.cookies.has('__Host-hufu')).toBe(false)
  expect(await logged(user.id, 'scan.rejected')).toHaveLength(1)
})

test('D025 check without the cookie, or with one of another request, knows no such request, approved or not', async () => {
  const { request, user } = await approved()
  const others = await waiting()
  const mark = (id: string) => `__Host-hufu-scan-${id}`
  const thief = t.browser(site)
  expect(await thief.call(checkScanRequest, request)).toMatchObject({ status: 410, code: 'LOGIN_REQUEST_EXPIRED' })
  thief.cookies.set(mark(request.id), others.browser.cookies.get(mark(others.request.id)) ?? '')
  expect((await thief.call(checkScanRequest, request)).code).toBe('LOGIN_REQUEST_EXPIRED')
  expect((await user.call(checkScanRequest, request)).code).toBe('LOGIN_REQUEST_EXPIRED')
  expect(thief.cookies.has('__Host-hufu')).toBe(false)
})

test('D026 time and ip must be those of the record, for check and for process', async () => {
  const { browser, request } = await waiting()
  const user = await t.signIn(site)
  for (const wrong of [{ time: request.time + 1 }, { ip: shanghai }]) {
    const forged = { ...request, ...wrong }
    expect((await browser.call(checkScanRequest, forged)).code).toBe('LOGIN_REQUEST_EXPIRED')
    expect((await decide(user, forged, 0)).code).toBe('LOGIN_REQUEST_EXPIRED')
  }
  const foreign = await t.codeSite()
  const stranger = await t.signIn(foreign)
  expect((await decide(stranger, request, 0)).code).toBe('LOGIN_REQUEST_EXPIRED')
  expect(await t.deps.redis.hget(keyOf(request), 'status')).toBe('-1')
})

test('D027 no step is skipped, none goes back, and the first decision stands', async () => {
  const { request } = await waiting()
  const user = await t.signIn(site)
  expect((await decide(user, request, 1)).code).toBe('LOGIN_REQUEST_EXPIRED')
  expect((await decide(user, request, 2)).code).toBe('LOGIN_REQUEST_EXPIRED')
  expect((await decide(user, request, 0)).status).toBe(200)
  expect((await decide(user, request, 0)).status).toBe(200)
  expect((await decide(user, request, 2)).status).toBe(200)
  expect((await decide(user, request, 2)).status).toBe(200)
  expect(await decide(user, request, 1)).toMatchObject({ status: 409, code: 'LOGIN_REQUEST_DONE' })
  expect((await decide(user, request, 0)).code).toBe('LOGIN_REQUEST_DONE')
})

test('D027 only who scanned decides; of twenty users at once one has scanned', async () => {
  const { request } = await waiting()
  const users = await Promise.all(times(20, () => t.signIn(site)))
  const answers = await Promise.all(users.map((user) => decide(user, request, 0)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ code }) => code === 'LOGIN_REQUEST_TAKEN')).toHaveLength(19)
  const loser = users[answers.findIndex(({ status }) => status !== 200)] as TestBrowser
  expect(await decide(loser, request, 1)).toMatchObject({ status: 409, code: 'LOGIN_REQUEST_TAKEN' })
  const winner = users[answers.findIndex(({ status }) => status === 200)] as TestBrowser
  const taps = await Promise.all(times(10, (index) => decide(winner, request, index % 2 === 0 ? 1 : 2)))
  expect(taps.filter(({ status }) => status === 200)).toHaveLength(5)
  expect(taps.filter(({ code }) => code === 'LOGIN_REQUEST_DONE')).toHaveLength(5)
})

test('D028 a request that has run out is unknown to both sides', async () => {
  const desk = await waiting()
  const user = await t.signIn(site)
  await decide(user, desk.request, 0)
  expect(await t.deps.redis.ttl(keyOf(desk.request))).toBeGreaterThan(100)
  await t.deps.redis.pexpire(keyOf(desk.request), 1)
  await expect.poll(() => t.deps.redis.exists(keyOf(desk.request))).toBe(0)
  expect(await desk.check()).toMatchObject({ status: 410, code: 'LOGIN_REQUEST_EXPIRED' })
  expect((await decide(user, desk.request, 1)).code).toBe('LOGIN_REQUEST_EXPIRED')
})

test('D029 asked again within 10 s the same session is given, by many at once too, and later none', async () => {
  const { browser, request, check } = await approved()
  const secret = browser.cookies.get(`__Host-hufu-scan-${request.id}`)
  const answers = await Promise.all(times(8, () => check()))
  const cookies = new Set(answers.map(({ headers }) => String(headers['set-cookie']).match(/__Host-hufu=[^;]+/)?.[0]))
  expect(answers.map(({ data }) => data)).toEqual(times(8, () => ({ status: 1 })))
  expect(cookies.size).toBe(1)
  expect(answers[0]?.headers['set-cookie']).toContainEqual(
    expect.stringMatching(`^__Host-hufu-scan-${request.id}=${secret}; Max-Age=10;`),
  )
  await t.deps.pool.query("UPDATE session SET created_at = created_at - interval '10 seconds' WHERE id = $1", [
    sessionOf(browser),
  ])
  expect(await check()).toMatchObject({ status: 410, code: 'LOGIN_REQUEST_EXPIRED' })
})

test('D029 a session that was ended in the meantime is not given again', async () => {
  const { browser, request, check } = await approved()
  await check()
  const again = t.browser(site)
  for (const [name, value] of browser.cookies) again.cookies.set(name, value)
  await browser.call(logout)
  expect((await again.call(checkScanRequest, request)).code).toBe('LOGIN_REQUEST_EXPIRED')
})

test('an approver who is disabled before the browser asks signs no browser in', async () => {
  const { browser, check, user } = await approved()
  await t.deps.pool.query("UPDATE users SET status = 'disabled' WHERE id = $1", [user.id])
  expect(await check()).toMatchObject({ status: 403, code: 'ACCOUNT_DISABLED' })
  expect(browser.cookies.has('__Host-hufu')).toBe(false)
})

test('an approval is worth nothing once the session that it was given in has ended', async () => {
  const { browser, check, user } = await approved()
  await user.call(logout)
  expect(await check()).toMatchObject({ status: 410, code: 'LOGIN_REQUEST_EXPIRED' })
  expect(browser.cookies.has('__Host-hufu')).toBe(false)
})

test('S016 S346 D030 who scanned sees what asks, and no other user sees anything', async () => {
  const { request } = await waiting()
  expect((await t.browser(site).call(processScanRequest, { ...request, status: 0 })).code).toBe('NOT_LOGGED_IN')
  const user = await t.signIn(site, { address: shenzhen })
  expect((await decide(user, request, 0)).data).toEqual({
    site: '青屿生活',
    host: site.host,
    browser: 'Chrome 141',
    os: 'Windows',
    device: '电脑',
    ip: shenzhen,
    region: '广东省 深圳市',
    time: request.time,
    network: 'same',
  })
})

test.each([
  { desk: shenzhen, phone: shanghai, network: 'elsewhere' },
  { desk: '8.8.8.8', phone: shanghai, network: 'elsewhere' },
  { desk: '2001:db8:1:2::7', phone: '2001:db8:1:2:9::1', network: 'same' },
  { desk: '2001:db8:1:2::7', phone: '2001:db8:1:3::1', network: null },
  { desk: '10.0.0.7', phone: shanghai, network: null },
  { desk: '120.24.78.69', phone: shenzhen, network: null },
])('D030 seen from $phone a browser at $desk is on network $network', async ({ desk, phone, network }) => {
  const { request } = await waiting({ address: desk })
  const user = await t.signIn(site, { address: phone })
  expect((await decide(user, request, 0)).data).toMatchObject({ network })
})

test('a user agent of any length and kind is kept in bounds and named', async () => {
  const { request } = await waiting({ userAgent: `<script>${'x'.repeat(9_000)}` })
  expect((await t.deps.redis.hget(keyOf(request), 'agent'))?.length).toBe(512)
  expect((await decide(await t.signIn(site), request, 0)).data?.browser).toBe('未知浏览器')
})

test('more checks at once than can be answered are refused before any work; other calls are not', async () => {
  const busy = await startTestApp({
    HUFU_DATABASE_URL: t.deps.config.databaseUrl,
    HUFU_DATABASE_POOL: '30',
    HUFU_LOAD_SHEDDING: '1',
  })
  const desk = await waiting({}, site, busy)
  const user = busy.browser(site)
  for (const [name, value] of (await t.signIn(site)).cookies) user.cookies.set(name, value)
  await Promise.all(times(20, () => user.call(userInfo)))
  const [checks, info] = await Promise.all([
    Promise.all(times(800, () => desk.check())),
    Promise.all(times(20, () => user.call(userInfo))),
  ])
  const served = checks.filter(({ status }) => status === 200)
  const refused = checks.filter(({ status }) => status === 503)
  // Never more in progress than the limit; on a busy machine it is lower.
  expect(served.length).toBeGreaterThan(0)
  expect(refused.length).toBeGreaterThan(0)
  expect(served.length + refused.length).toBe(800)
  expect(refused[0]).toMatchObject({ code: 'SERVICE_BUSY', headers: { 'retry-after': '1' } })
  expect(info.map(({ status }) => status)).toEqual(times(20, () => 200))
  expect((await desk.check()).data).toEqual({ status: -1 })
  await busy.close()
})

/** Approves a request by writing to Redis; the victim's ids can be read from the names of its keys. */
async function approveInRedis(request: Request, victim: TestBrowser & { id: string }): Promise<void> {
  const own = { status: '1', scanner: victim.id, session: sessionOf(victim) }
  await t.deps.redis.hset(keyOf(request), own)
}

test('D106 a request approved in Redis alone begins no session', async () => {
  const victim = await t.signIn(site)
  const desk = await waiting()
  await approveInRedis(desk.request, victim)
  expect((await desk.check()).code).toBe('LOGIN_REQUEST_EXPIRED')
  // Nor does the approval of another request or of another user.
  const other = await approved()
  const record = await t.deps.redis.hgetall(keyOf(other.request))
  await t.deps.redis.hset(keyOf(desk.request), { approval: record.approval ?? '' })
  expect((await desk.check()).code).toBe('LOGIN_REQUEST_EXPIRED')
  await t.deps.redis.hset(keyOf(desk.request), { scanner: other.user.id, session: record.session ?? '' })
  expect((await desk.check()).code).toBe('LOGIN_REQUEST_EXPIRED')
  expect(desk.browser.cookies.has('__Host-hufu')).toBe(false)
  expect((await other.check()).data).toEqual({ status: 1 })
})

test('D106 an approved request with the proof of another browser begins no session there', async () => {
  const { request, user, check } = await approved()
  const thief = await waiting()
  const [theirs, own] = await Promise.all(
    [keyOf(request), keyOf(thief.request)].map((key) => t.deps.redis.hgetall(key)),
  )
  // The whole record moved to the attacker's request, and the attacker's secret put into the approved one.
  await t.deps.redis.hset(keyOf(thief.request), {
    ...theirs,
    time: thief.request.time,
    ip: thief.request.ip,
    proof: own?.proof ?? '',
  })
  expect((await thief.check()).code).toBe('LOGIN_REQUEST_EXPIRED')
  const secret = thief.browser.cookies.get(`__Host-hufu-scan-${thief.request.id}`) ?? ''
  const secretHash = createHash('sha256').update(`${request.time} ${request.ip} ${secret}`).digest('base64')
  await t.deps.redis.hset(keyOf(request), { proof: secretHash })
  const browser = t.browser(site)
  browser.cookies.set(`__Host-hufu-scan-${request.id}`, secret)
  expect((await browser.call(checkScanRequest, request)).code).toBe('LOGIN_REQUEST_EXPIRED')
  expect(browser.cookies.has('__Host-hufu')).toBe(false)
  await t.deps.redis.hset(keyOf(request), { proof: theirs?.proof ?? '' })
  expect((await check()).data).toEqual({ status: 1 })
  expect(user.cookies.has('__Host-hufu')).toBe(true)
})

test('D106 what an approver is shown is what the waiting browser was when it asked', async () => {
  const user = await t.signIn(site)
  for (const forged of [{ agent: 'Mozilla/5.0 (iPhone) Safari' }, { made: '' }, { made: 'AAAA' }]) {
    const { request } = await waiting()
    await t.deps.redis.hset(keyOf(request), forged)
    expect((await decide(user, request, 0)).code).toBe('LOGIN_REQUEST_EXPIRED')
  }
  const { request } = await waiting()
  await t.deps.redis.hset(keyOf(request), { ip: shanghai })
  expect((await decide(user, { ...request, ip: shanghai }, 0)).code).toBe('LOGIN_REQUEST_EXPIRED')
})

test('D106 an approval ends after 120 seconds, also in a Redis that keeps the request for good', async () => {
  const { request, check } = await approved()
  await t.deps.redis.persist(keyOf(request))
  const { now } = t.deps.clock
  t.deps.clock.now = () => now() + 121_000
  try {
    expect((await check()).code).toBe('LOGIN_REQUEST_EXPIRED')
  } finally {
    t.deps.clock.now = now
  }
  expect((await check()).data).toEqual({ status: 1 })
})
