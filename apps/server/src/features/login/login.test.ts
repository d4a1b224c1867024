import { setTimeout as sleep } from 'node:timers/promises'
import { changePassword } from '@hufu/contract/account'
import { confirmLogin, entry, loginByMobile, loginByPassword, logout, sendConfirmCode } from '@hufu/contract/login'
import { userInfo } from '@hufu/contract/profile'
import { sendMobileCode } from '@hufu/contract/verify-code'
import { hash } from '@node-rs/argon2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { member, signInAgain, stepUp } from '../../../test/account-user.ts'
import { held, lockedOut } from '../../../test/race.ts'
import {
  codeTo,
  fresh,
  messagesTo,
  sessionOf,
  startTestApp,
  type TestApp,
  type TestSite,
  times,
  wideLimits,
} from '../../../test/test-app.ts'
import { hashPassword } from '../../platform/crypto/password-hash.ts'
import { readConfig, saveConfig } from '../site/site.service.ts'
import { changeStatus, createUser } from '../users/users.service.ts'

let t: TestApp
let site: TestSite
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite()
})
afterAll(() => t.close())

const number = (mobile: string) => ({ mobilePrefix: '86', mobile })
const password = 'Qy#2026autumn'

async function newUser(own: { password?: undefined; email?: undefined; nickname?: string } = {}, at = site) {
  const names = { mobile: fresh.mobile(), email: fresh.email(), username: fresh.username() }
  return { ...names, id: await createUser(t.deps, at.id, { ...names, password, ...own }, 'test') }
}

const sessionsOf = async (userId: string): Promise<string[]> =>
  (await t.deps.pool.query('SELECT id FROM session WHERE user_id = $1 AND ended_at IS NULL', [userId])).rows.map(
    ({ id }) => id,
  )

test('S005 S357 D014 a new number signs up and in; the next time it is the same account', async () => {
  const first = await t.signIn(site)
  const info = await first.call(userInfo)
  expect(info.data).toMatchObject({
    id: first.id,
    mobilePrefix: '86',
    mobile: first.mobile,
    password: false,
    twoFactor: false,
  })
  await t.passMinute(site, `+86${first.mobile}`)
  const second = await t.signIn(site, { mobile: first.mobile })
  expect(second.id).toBe(first.id)
})

test('a session older than its line in the log goes when its user signs in next, a younger one stays', async () => {
  const first = await t.signIn(site)
  async function again() {
    await t.passMinute(site, `+86${first.mobile}`)
    await t.signIn(site, { mobile: first.mobile })
  }
  async function age(id: string | undefined, days: number) {
    await t.deps.pool.query('UPDATE session SET created_at = now() - make_interval(days => $2) WHERE id = $1', [
      id,
      days,
    ])
  }
  const kept = async (table: 'session' | 'session_access') =>
    (await t.deps.pool.query(`SELECT count(*)::int AS n FROM ${table} WHERE user_id = $1`, [first.id])).rows[0].n
  const [oldest] = await sessionsOf(first.id)
  await age(oldest, 213)
  await again()
  expect(await sessionsOf(first.id)).toContain(oldest)
  await age(oldest, 215)
  await again()
  expect(await sessionsOf(first.id)).not.toContain(oldest)
  expect([await kept('session'), await kept('session_access')]).toEqual([2, 2])
})

test('S006 S007 S356 a password signs in with username, e-mail and mobile number, in any case and spelling', async () => {
  const user = await newUser()
  for (const account of [
    user.username,
    user.username.toUpperCase(),
    user.email,
    ` ${user.email.toUpperCase()}`,
    user.mobile,
    `+86 ${user.mobile}`,
  ]) {
    const browser = t.browser(site)
    const answer = await browser.call(loginByPassword, { account, password })
    expect(answer, account).toMatchObject({ status: 200, data: { id: user.id, created: false } })
    expect((await browser.call(userInfo)).data?.id).toBe(user.id)
  }
})

test('a wrong password, no password and no account get the same answer', async () => {
  const user = await newUser()
  const bare = await newUser({ password: undefined })
  const answers = await Promise.all(
    [user.username, bare.username, fresh.username(), fresh.email(), fresh.mobile(), '???'].map((account) =>
      t.call(site, loginByPassword, { account, password: 'Wrong#2026x' }),
    ),
  )
  for (const { status, code, message, details } of answers) {
    expect({ status, code, message, details }).toEqual({
      status: 400,
      code: 'LOGIN_FAILED',
      message: '账号或密码不正确，请核对后重新输入',
      details: undefined,
    })
  }
})

test('after ten failures from strange browsers a proof is asked, then a pause; the own browser and a code go on', async () => {
  const user = await newUser()
  const own = t.browser(site)
  expect((await own.call(loginByPassword, { account: user.email, password })).status).toBe(200)
  const guess = () => t.call(site, loginByPassword, { account: user.username, password: 'Wrong#2026x' })
  const replies = []
  for (let tried = 0; tried < 25; tried++) replies.push((await guess()).code)
  expect(replies.slice(0, 10)).toEqual(times(10, () => 'LOGIN_FAILED'))
  expect(replies.slice(10, 20)).toEqual(times(10, () => 'PROOF_REQUIRED'))
  expect(replies.slice(20)).toEqual(times(5, () => 'LOGIN_PAUSED'))
  expect((await own.call(loginByPassword, { account: user.email, password })).status).toBe(200)
  expect((await t.signIn(site, { mobile: user.mobile })).id).toBe(user.id)
})

test('a right password that there is no time for is busy and no failed one', async () => {
  const busy = await startTestApp({ HUFU_DATABASE_URL: t.deps.config.databaseUrl, HUFU_LOAD_SHEDDING: '1' })
  const login = (by: TestApp) => by.call(site, loginByPassword, { account: user.username, password })
  const user = await newUser()
  let over = false
  const crowd = times(300, async () => {
    while (!over) await hashPassword(busy.deps.config, password).catch(() => sleep(20))
  })
  const replies = []
  for (let tried = 0; tried < 25; tried++) replies.push((await login(busy)).code)
  const patient = login(t)
  over = true
  await Promise.all(crowd)
  expect(replies).toEqual(times(25, () => 'SERVICE_BUSY'))
  // Without load shedding the same call waits for its turn.
  expect((await patient).status).toBe(200)
  // The queue is empty a moment after the crowd has left.
  await expect.poll(async () => (await login(busy)).status, { timeout: 30_000 }).toBe(200)
  await busy.close()
})

/** With this lock a change of password is made and not committed: it is about to end the other session. */
const ofSession = 'SELECT FROM session WHERE id = $1 FOR UPDATE'

/** A user who may change their password, and has one more session. */
async function changing() {
  const user = await member(t, site)
  const other = await signInAgain(t, site, user)
  await stepUp(t, site, user, user.mobile)
  return { user, other: sessionOf(other), change: () => user.call(changePassword, { password: 'Another#2026a' }) }
}

test('a sign-in that compared the password before it was changed begins no session after', async () => {
  const { user, other, change } = await changing()
  const late = t.browser(site)
  const [changed, entered] = await held(t, ofSession, [other], async (holder) => {
    const changed = change()
    await lockedOut(holder, 1)
    const entered = late.call(loginByPassword, { account: user.username, password })
    await lockedOut(holder, 2)
    return [changed, entered] as const
  })
  expect((await changed).status).toBe(200)
  expect(await entered).toMatchObject({ status: 400, code: 'LOGIN_FAILED' })
  expect((await late.call(userInfo)).code).toBe('NOT_LOGGED_IN')
  expect(await sessionsOf(user.id)).toEqual([sessionOf(user)])
})

test('a sign-in that was before the change is waited for and ends with the others', async () => {
  const { user, change } = await changing()
  const early = t.browser(site)
  const access = 'SELECT FROM user_access WHERE user_id = $1 FOR UPDATE'
  const [changed, entered] = await held(t, access, [user.id], async (holder) => {
    const entered = early.call(loginByPassword, { account: user.username, password })
    await lockedOut(holder, 1)
    const changed = change()
    await lockedOut(holder, 2)
    return [changed, entered] as const
  })
  expect((await entered).status).toBe(200)
  expect((await changed).status).toBe(200)
  expect((await early.call(userInfo)).code).toBe('SESSION_REMOVED')
  expect(await sessionsOf(user.id)).toEqual([sessionOf(user)])
})

test('a password that is changed while it confirms whose account it is confirms nothing and burns nothing', async () => {
  const { user, other, change } = await changing()
  const { browser, ticket } = await askedWhose(user)
  const [changed, confirmed] = await held(t, ofSession, [other], async (holder) => {
    const changed = change()
    await lockedOut(holder, 1)
    const confirmed = browser.call(confirmLogin, { ticket, mine: true, password })
    await lockedOut(holder, 2)
    return [changed, confirmed] as const
  })
  expect((await changed).status).toBe(200)
  expect((await confirmed).code).toBe('LOGIN_FAILED')
  expect(await sessionsOf(user.id)).toEqual([sessionOf(user)])
  const again = await browser.call(confirmLogin, { ticket, mine: true, password: 'Another#2026a' })
  expect(again.data?.id).toBe(user.id)
})

test('the three names of an account share one budget', async () => {
  const user = await newUser()
  const names = [user.username, user.email, user.mobile]
  const replies = []
  for (let tried = 0; tried < 12; tried++) {
    const account = names[tried % 3] ?? ''
    replies.push((await t.call(site, loginByPassword, { account, password: 'Wrong#2026x' })).code)
  }
  expect(replies.filter((code) => code === 'LOGIN_FAILED')).toHaveLength(10)
})

test('S369 D009 logging out ends the session on the server', async () => {
  const browser = await t.signIn(site)
  const kept = new Map(browser.cookies)
  expect((await browser.call(logout)).status).toBe(200)
  expect((await browser.call(userInfo)).code).toBe('NOT_LOGGED_IN')
  const thief = t.browser(site)
  for (const [name, value] of kept) thief.cookies.set(name, value)
  expect((await thief.call(userInfo)).code).toBe('SESSION_REMOVED')
})

test('S332 D009 without a session guarded calls answer NOT_LOGGED_IN, also with a made-up or foreign cookie', async () => {
  const other = await t.codeSite()
  const abroad = await t.signIn(other)
  const cookie = abroad.cookies.get('__Host-hufu') ?? ''
  const [userId = '', sessionId = '', secret = ''] = cookie.split('.')
  const forged = [
    '',
    'rubbish',
    cookie,
    `${userId}.${sessionId}.${'A'.repeat(43)}`,
    `${userId}.${crypto.randomUUID()}.${secret}`,
    `${crypto.randomUUID()}.${sessionId}.${secret}`,
  ]
  for (const value of forged) {
    const browser = t.browser(site)
    browser.cookies.set('__Host-hufu', value)
    expect(await browser.call(userInfo), value).toMatchObject({ status: 401, code: 'NOT_LOGGED_IN' })
  }
})

test('the session cookie is for this host, encrypted connections and the server alone, and always new', async () => {
  const browser = t.browser(site)
  browser.cookies.set('__Host-hufu', `${crypto.randomUUID()}.${crypto.randomUUID()}.${'B'.repeat(43)}`)
  const preset = browser.cookies.get('__Host-hufu')
  const user = await newUser()
  const { headers } = await browser.call(loginByPassword, { account: user.email, password })
  const cookie = [headers['set-cookie']].flat().find((line) => String(line).startsWith('__Host-hufu='))
  expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Lax; Secure$/)
  expect(browser.cookies.get('__Host-hufu')).not.toBe(preset)
  const names = [headers['set-cookie']].flat().map((line) => String(line).split('=')[0])
  expect(names.sort()).toEqual(['__Host-hufu', '__Host-hufu-browser', '__Host-hufu-in'])
})

test('a disabled user is refused after the right proof, and an open session ends', async () => {
  const user = await newUser()
  const browser = t.browser(site)
  await browser.call(loginByPassword, { account: user.email, password })
  expect((await browser.call(userInfo)).status).toBe(200)
  await changeStatus(t.deps, site.id, user.id, 'disabled', 'test')
  expect(await browser.call(userInfo)).toMatchObject({ status: 401, code: 'SESSION_REMOVED' })
  expect(await t.call(site, loginByPassword, { account: user.email, password })).toMatchObject({
    code: 'ACCOUNT_DISABLED',
  })
  await changeStatus(t.deps, site.id, user.id, 'active', 'test')
  expect((await t.call(site, loginByPassword, { account: user.email, password })).status).toBe(200)
})

test('S010 a method that the site does not offer is refused by the server too', async () => {
  const mobileOnly = await t.codeSite({ methods: ['mobile'] })
  const user = await newUser({}, mobileOnly)
  expect(await t.call(mobileOnly, loginByPassword, { account: user.email, password })).toMatchObject({
    status: 403,
    code: 'METHOD_DISABLED',
  })
  const passwordOnly = await t.codeSite({ methods: ['password'] })
  expect((await t.call(passwordOnly, loginByMobile, { ...number(fresh.mobile()), code: '000000' })).code).toBe(
    'METHOD_DISABLED',
  )
})

test('D014 with registration closed a new number can not sign up', async () => {
  const closed = await t.codeSite({ registration: 'closed' })
  const browser = t.browser(closed)
  const mobile = fresh.mobile()
  await browser.call(sendMobileCode, number(mobile))
  await t.deps.randomDelay.flush()
  expect(await messagesTo(mobile)).toEqual([])
  expect((await browser.call(loginByMobile, { ...number(mobile), code: '123456' })).code).toBe('CODE_WRONG')
})

test('D080 consent is stored with the version in force, and with no other', async () => {
  const agreements = { terms: 'https://a.example/t', privacy: 'https://a.example/p', version: '2026-11' }
  const careful = await t.codeSite({ agreements })
  const user = await newUser({}, careful)
  const browser = t.browser(careful)
  await browser.call(loginByPassword, { account: user.email, password, agreements: '2020-01' })
  expect((await browser.call(userInfo)).data?.agreements).toBeNull()
  const again = t.browser(careful)
  await again.call(loginByPassword, { account: user.email, password, agreements: '2026-11' })
  const { rows } = await t.deps.pool.query('SELECT version FROM consent WHERE site_id = $1 AND user_id = $2', [
    careful.id,
    user.id,
  ])
  expect(rows).toEqual([{ version: '2026-11' }])
})

test('D080 a new version is agreed to anew, beside the former one, and is then the one in force', async () => {
  const agreements = { terms: 'https://a.example/t', privacy: 'https://a.example/p', version: '2026-11' }
  const careful = await t.codeSite({ agreements })
  const user = await newUser({}, careful)
  const browser = t.browser(careful)
  const agreed = async (version: string) => {
    await browser.call(loginByPassword, { account: user.email, password, agreements: version })
    const { rows } = await t.deps.pool.query('SELECT version FROM consent WHERE user_id = $1 ORDER BY at', [user.id])
    return rows.map((row) => row.version)
  }
  expect(await agreed('2026-11')).toEqual(['2026-11'])
  const { config, version } = await readConfig(t.deps, careful.id)
  const newer = { ...config, agreements: { ...agreements, version: '2027-01' } }
  await saveConfig(t.deps, careful.id, { config: newer, basedOn: version }, 'test')
  await t.deps.sites.refresh()
  expect(await agreed('2026-11')).toEqual(['2026-11'])
  expect(await agreed('2027-01')).toEqual(['2026-11', '2027-01'])
  expect((await browser.call(userInfo)).data?.agreements).toBe('2027-01')
})

test.each([
  ['/user', '/user'],
  ['/user/feedback/abc?x=1#y', '/user/feedback/abc?x=1#y'],
  ['/loginAuthorize/abc', '/loginAuthorize/abc'],
  ['/loginApprove/a/1/1.2.3.4', '/loginApprove/a/1/1.2.3.4'],
  ['https://shop.example.com/cart?a=1', 'https://shop.example.com/cart?a=1'],
  ['https://client.example.com/', 'https://client.example.com/'],
])('S013 S363 D049 an allowed source is answered as it is: %s', async (source, answer) => {
  const own = await t.site({
    sources: ['https://shop.example.com'],
    clients: [{ id: 'c', name: 'C', sources: ['https://client.example.com'] }],
  })
  expect((await t.call(own, entry, { source })).data).toBe(answer)
})

test.each([
  undefined,
  '',
  'user',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/%5cevil.example',
  '/%2f/evil.example',
  '/\tevil',
  '/us er',
  '/api/logout',
  '/API/logout',
  '/%61pi/logout',
  '/user/../api/logout',
  '/login',
  '/login/x',
  '/login?x',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'data:text/html,x',
  'https://evil.example',
  'https://shop.example.com.evil.example',
  'https://shop.example.com@evil.example',
  'https://user@shop.example.com/',
  'http://shop.example.com/',
  'https://shop.example.com:8443/',
  'https:/evil.example',
  'https:evil.example',
  ' https://shop.example.com',
  'https://shop.example.com\\@evil.example',
])('D017 D049 a refused or missing source leads to /user: %s', async (source) => {
  const own = await t.site({ sources: ['https://shop.example.com'] })
  expect((await t.call(own, entry, source === undefined ? {} : { source })).data).toBe('/user')
})

/** The right code for a number that was not proved for long, in an unknown browser. */
async function askedWhose(user: { mobile: string }) {
  await t.deps.pool.query(
    "UPDATE identity SET proved_at = now() - interval '91 days' WHERE site_id = $1 AND value = $2",
    [site.id, `+86${user.mobile}`],
  )
  await t.passMinute(site, `+86${user.mobile}`)
  const browser = t.browser(site)
  await browser.call(sendMobileCode, number(user.mobile))
  const asked = await browser.call(loginByMobile, { ...number(user.mobile), code: await codeTo(user.mobile) })
  return { browser, asked, ticket: asked.details?.ticket as string }
}

async function recycled(own: Parameters<typeof newUser>[0] = {}) {
  const user = await newUser(own)
  return { user, ...(await askedWhose(user)) }
}

test('D071 a right code for a number unproved for 90 days from an unknown browser answers LOGIN_CONFIRM and nothing else', async () => {
  const { browser, asked, user } = await recycled({ nickname: '林知夏' })
  expect(asked).toMatchObject({ status: 409, code: 'LOGIN_CONFIRM' })
  expect(Object.keys(asked.details)).toEqual(['ticket'])
  expect(JSON.stringify(asked)).not.toMatch(new RegExp(`${user.id}|${user.email}|林`))
  expect((await browser.call(userInfo)).code).toBe('NOT_LOGGED_IN')
})

test('D071 a browser that the account knows is not asked', async () => {
  const user = await newUser()
  const browser = t.browser(site)
  await browser.call(loginByPassword, { account: user.email, password })
  await t.deps.pool.query(
    "UPDATE identity SET proved_at = now() - interval '91 days' WHERE site_id = $1 AND value = $2",
    [site.id, `+86${user.mobile}`],
  )
  await browser.call(logout)
  await browser.call(sendMobileCode, number(user.mobile))
  expect((await browser.call(loginByMobile, { ...number(user.mobile), code: await codeTo(user.mobile) })).status).toBe(
    200,
  )
})

test('D072 是我的账号 needs one more proof: the password', async () => {
  const { browser, ticket, user } = await recycled()
  const needed = await browser.call(confirmLogin, { ticket, mine: true })
  expect(needed).toMatchObject({ code: 'LOGIN_PROOF_NEEDED', details: { proofs: ['password', 'email'] } })
  expect(needed.details.email).not.toBe(user.email)
  expect((await browser.call(confirmLogin, { ticket, mine: true, sure: true })).code).toBe('LOGIN_PROOF_NEEDED')
  expect((await browser.call(confirmLogin, { ticket, mine: true, password: 'Wrong#2026x' })).code).toBe('LOGIN_FAILED')
  expect((await browser.call(confirmLogin, { ticket, mine: true, password })).data?.id).toBe(user.id)
  expect((await browser.call(userInfo)).data?.id).toBe(user.id)
  expect((await browser.call(confirmLogin, { ticket, mine: true, password })).code).toBe('LOGIN_CONFIRM_EXPIRED')
})

test('D072 是我的账号 by a mailed code', async () => {
  const { browser, ticket, user } = await recycled({ password: undefined })
  expect((await browser.call(sendConfirmCode, { ticket })).status).toBe(200)
  expect((await browser.call(confirmLogin, { ticket, mine: true, code: await codeTo(user.email) })).data?.id).toBe(
    user.id,
  )
})

test('D072 an account without another proof shows its masked nickname and asks again', async () => {
  const { browser, ticket, user } = await recycled({ password: undefined, email: undefined, nickname: '林知夏' })
  const needed = await browser.call(confirmLogin, { ticket, mine: true })
  expect(needed.details).toEqual({ proofs: [], nickname: '林**' })
  expect((await browser.call(confirmLogin, { ticket, mine: true, sure: true })).data?.id).toBe(user.id)
})

test('D072 不是我的账号 moves the number to a new account; the old one keeps its other ways and is notified', async () => {
  const { browser, ticket, user } = await recycled()
  const moved = await browser.call(confirmLogin, { ticket, mine: false })
  expect(moved.data?.created).toBe(true)
  expect(moved.data?.id).not.toBe(user.id)
  const old = t.browser(site)
  expect((await old.call(loginByPassword, { account: user.email, password })).data?.id).toBe(user.id)
  expect((await old.call(userInfo)).data).toMatchObject({ mobile: null, mobilePrefix: null })
  expect((await t.call(site, loginByPassword, { account: user.mobile, password })).code).toBe('LOGIN_FAILED')
  const { rows } = await t.deps.pool.query(
    "SELECT data FROM pgboss.job WHERE name = 'mail-notice' AND data->>'to' = $1",
    [user.email],
  )
  expect(rows).toHaveLength(1)
})

test('a ticket is worth nothing in another browser, and of two answers at once one counts', async () => {
  const { browser, ticket } = await recycled()
  expect((await t.call(site, confirmLogin, { ticket, mine: false })).code).toBe('LOGIN_CONFIRM_EXPIRED')
  const replies = await Promise.all(times(5, () => browser.call(confirmLogin, { ticket, mine: false })))
  expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1)
})

test('a hash of another cost is made anew at the next sign-in, and only then', async () => {
  const user = await newUser()
  const weaker = await hash(password, { memoryCost: 8_192, timeCost: 1, parallelism: 1 })
  await t.deps.pool.query('UPDATE credential SET secret = $2 WHERE user_id = $1', [user.id, weaker])
  const stored = async () =>
    (await t.deps.pool.query('SELECT secret, changed_at FROM credential WHERE user_id = $1', [user.id])).rows[0]
  const before = await stored()
  const signIn = (typed: string) => t.call(site, loginByPassword, { account: user.username, password: typed })
  expect((await signIn('Wrong#2026x')).code).toBe('LOGIN_FAILED')
  expect(await stored()).toEqual(before)
  const statuses = await Promise.all(times(3, async () => (await signIn(password)).status))
  expect(statuses).toEqual([200, 200, 200])
  const { secret, changed_at } = await stored()
  expect(secret).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(changed_at).toEqual(before.changed_at)
  expect((await signIn(password)).status).toBe(200)
  expect((await stored()).secret).toBe(secret)
})

test('every send, sign-in, failure and limit is in the security log, failures summed, nothing in the clear', async () => {
  const own = await t.codeSite({ limits: { ...wideLimits, passwordFailures: 1000 } })
  const address = '198.51.100.23'
  const user = await newUser({}, own)
  const browser = t.browser(own, {
    address,
    userAgent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36',
  })
  for (let tried = 0; tried < 5; tried++)
    await browser.call(loginByPassword, { account: user.email, password: 'Wrong#2026x' })
  await browser.call(loginByPassword, { account: user.email, password })
  await t.browser(own, { address }).call(sendMobileCode, number(user.mobile))
  const { rows } = await t.deps.pool.query(
    'SELECT event, user_id, host(address) AS address, detail FROM security_log WHERE site_id = $1 ORDER BY event',
    [own.id],
  )
  // Summed by the minute, and one may begin among them.
  const failed = rows.filter((row) => row.event === 'login.failed')
  expect(rows.slice(0, -failed.length).map((row) => row.event)).toEqual(['code.send', 'login'])
  expect(failed.length).toBeLessThanOrEqual(2)
  expect(failed.reduce((sum, { detail }) => sum + detail.count, 0)).toBe(5)
  expect(rows[1]).toMatchObject({
    user_id: user.id,
    address,
    detail: { method: 'password', browser: 'Chrome 142', os: 'Windows' },
  })
  expect(JSON.stringify(rows)).not.toContain(user.mobile)
})
