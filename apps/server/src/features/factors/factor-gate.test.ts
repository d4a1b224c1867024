import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loginByFactor, readFactorTicket } from '@hufu/contract/factors'
import { confirmLogin, loginByMobile, loginByPassword } from '@hufu/contract/login'
import { userInfo } from '@hufu/contract/profile'
import { checkScanRequest, createScanRequest, processScanRequest } from '@hufu/contract/scan-login'
import { sendMobileCode } from '@hufu/contract/verify-code'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { member, password, signInAgain } from '../../../test/account-user.ts'
import { type Authenticator, protect } from '../../../test/factors.ts'
import { factored } from '../../../test/operator.ts'
import {
  codeTo,
  sessionOf,
  startTestApp,
  type TestApp,
  type TestBrowser,
  type TestSite,
} from '../../../test/test-app.ts'
import { newWechat, personal, through } from '../../../test/wechat-phone.ts'
import type { UserId } from '../../platform/ids.ts'

let t: TestApp
let site: TestSite
beforeAll(async () => {
  t = await startTestApp()
})
// The simulated WeChat has few users: each test has a site of its own.
beforeEach(async () => {
  site = await t.codeSite({ wechat: { ...(await newWechat()) } })
})
afterAll(() => t.close())

/** A protected user with every way to sign in. */
async function protectedMember() {
  const user = await member(t, site)
  expect(await through(user, await personal(user, 'binding'), 'lin')).toBe('/user')
  const app = await protect(t.deps, site.id, user.id as UserId)
  return { ...user, app }
}
type Protected = Awaited<ReturnType<typeof protectedMember>>

const sessionsOf = async (id: string): Promise<number> =>
  (await t.deps.pool.query('SELECT count(*)::int AS n FROM session WHERE user_id = $1', [id])).rows[0].n

async function mobileCode(browser: TestBrowser, { mobile }: Protected) {
  await t.passMinute(site, `+86${mobile}`)
  await browser.call(sendMobileCode, { mobilePrefix: '86', mobile })
  return { mobilePrefix: '86', mobile, code: await codeTo(mobile) }
}

const ticketIn = (address: string) => /^\/login\/second(?:\?[^#]*)?#([\w-]{43})$/.exec(address)?.[1] ?? ''

/** Each way to give the first proof in a new browser: the ticket to the second step. */
const ways: Record<string, (browser: TestBrowser, user: Protected) => Promise<string>> = {
  async mobile(browser, user) {
    const login = await mobileCode(browser, user)
    const answer = await browser.call(loginByMobile, login)
    expect(answer).toMatchObject({ status: 403, code: 'FACTOR_REQUIRED' })
    // The first proof is spent.
    expect((await browser.call(loginByMobile, login)).code).toBe('CODE_WRONG')
    return answer.details.ticket
  },
  async password(browser, { username }) {
    const answer = await browser.call(loginByPassword, { account: username, password })
    expect(answer).toMatchObject({ status: 403, code: 'FACTOR_REQUIRED' })
    return answer.details.ticket
  },
  async confirm(browser, user) {
    await t.deps.pool.query("UPDATE identity SET proved_at = now() - interval '91 days' WHERE user_id = $1", [user.id])
    const asked = await browser.call(loginByMobile, await mobileCode(browser, user))
    expect(asked.code).toBe('LOGIN_CONFIRM')
    const answer = await browser.call(confirmLogin, { ticket: asked.details.ticket, mine: true, password })
    expect(answer).toMatchObject({ status: 403, code: 'FACTOR_REQUIRED' })
    return answer.details.ticket
  },
  wechatSilent: async (browser) => ticketIn(await through(browser, '/api/login/wechat?source=%2Fuser', 'lin')),
  wechatAsked: async (browser) => ticketIn(await through(browser, '/api/login/wechat?tap=1', 'lin')),
}

describe.each(Object.entries(ways))('by %s', (_way, prove) => {
  test('D131 a protected account gets no session but a ticket, and a session by its factor', async () => {
    const user = await protectedMember()
    const browser = t.browser(site)
    const before = await sessionsOf(user.id)
    const ticket = await prove(browser, user)
    expect(ticket).toHaveLength(43)
    expect([await sessionsOf(user.id), browser.cookies.has('__Host-hufu')]).toEqual([before, false])
    expect((await browser.call(readFactorTicket, { ticket })).data).toEqual({
      ways: ['totp'],
      name: expect.stringMatching(/\S/),
      trust: true,
    })
    expect((await browser.call(loginByFactor, { ticket, totp: user.app.wrong() })).code).toBe('FACTOR_WRONG')
    expect((await browser.call(userInfo)).code).toBe('NOT_LOGGED_IN')
    const answer = await browser.call(loginByFactor, { ticket, totp: await user.app.code() })
    expect(answer.data).toEqual({ id: user.id, created: false })
    // The second step is a step-up as well.
    expect((await browser.call(userInfo)).data).toMatchObject({ id: user.id, protected: true, twoFactor: true })
    expect((await browser.call(loginByFactor, { ticket, totp: await user.app.code() })).code).toBe('FACTOR_EXPIRED')
  })
})

test('D131 a sign-in by WeChat keeps its source on the way to the second step', async () => {
  await protectedMember()
  const address = await through(t.browser(site), '/api/login/wechat?tap=1&source=%2Fuser%2Fdevice', 'lin')
  expect(address).toMatch(/^\/login\/second\?source=%2Fuser%2Fdevice#[\w-]{43}$/)
})

test('D135 WeChat steps up no protected account', async () => {
  const user = await protectedMember()
  expect(await through(user, await personal(user, 'check'), 'lin')).toBe('/user?wechat=TWO_FACTOR_REQUIRED')
  const { rows } = await t.deps.pool.query('SELECT two_factor_at, second_at FROM session WHERE id = $1', [
    sessionOf(user),
  ])
  expect(rows).toEqual([{ two_factor_at: null, second_at: null }])
})

async function firstStep(user: { username: string }): Promise<{ browser: TestBrowser; ticket: string }> {
  const browser = t.browser(site)
  const { details } = await browser.call(loginByPassword, { account: user.username, password })
  return { browser, ticket: details.ticket }
}

test('D131 a ticket counts in its own browser and for ten minutes', async () => {
  const user = await protectedMember()
  const { browser, ticket } = await firstStep(user)
  expect((await t.call(site, loginByFactor, { ticket, totp: await user.app.code() })).code).toBe('FACTOR_EXPIRED')
  expect((await t.call(site, readFactorTicket, { ticket })).code).toBe('FACTOR_EXPIRED')
  await t.deps.pool.query(
    "UPDATE factor_ticket SET expires_at = expires_at - interval '10 minutes' WHERE user_id = $1",
    [user.id],
  )
  expect((await browser.call(loginByFactor, { ticket, totp: await user.app.code() })).code).toBe('FACTOR_EXPIRED')
})

test('D131 ending all sessions voids the sign-ins that wait for their second step', async () => {
  const user = await protectedMember()
  const { browser, ticket } = await firstStep(user)
  const { endAllSessions } = await import('../../shared/sessions/sessions.store.ts')
  await endAllSessions(t.deps.db, site.id, user.id as UserId, 'test')
  expect((await browser.call(loginByFactor, { ticket, totp: await user.app.code() })).code).toBe('FACTOR_EXPIRED')
})

describe('scan', () => {
  async function waiting() {
    const browser = t.browser(site)
    const { data } = await browser.call(createScanRequest)
    if (!data) throw new Error('no request was made')
    const { origin: _, ...request } = data
    return { browser, request }
  }

  test('D135 a session of a protected account without a factor approves none; with one the new session has its factor', async () => {
    const user = await protectedMember()
    const { browser, request } = await waiting()
    await user.call(processScanRequest, { ...request, status: 0 })
    expect(await user.call(processScanRequest, { ...request, status: 1 })).toMatchObject({
      code: 'TWO_FACTOR_REQUIRED',
      details: { factor: true },
    })
    await factored(t, user)
    const another = await signedInByFactor(user, user.app)
    await another.call(processScanRequest, { ...request, status: 0 })
    expect((await another.call(processScanRequest, { ...request, status: 1 })).status).toBe(200)
    expect((await browser.call(checkScanRequest, request)).status).toBe(200)
    // Signed in, but a scan is no step-up.
    expect((await browser.call(userInfo)).data).toMatchObject({ id: user.id, twoFactor: false })
  })

  test('D135 an approval from before the protection begins no session after it', async () => {
    const user = await member(t, site)
    const { browser, request } = await waiting()
    await user.call(processScanRequest, { ...request, status: 0 })
    expect((await user.call(processScanRequest, { ...request, status: 1 })).status).toBe(200)
    await protect(t.deps, site.id, user.id as UserId)
    expect((await browser.call(checkScanRequest, request)).code).toBe('LOGIN_REQUEST_EXPIRED')
    const tickets = await t.deps.pool.query('SELECT FROM factor_ticket WHERE user_id = $1', [user.id])
    expect([browser.cookies.has('__Host-hufu'), tickets.rowCount]).toEqual([false, 0])
  })
})

async function signedInByFactor(user: { username: string }, app: Authenticator): Promise<TestBrowser> {
  const { browser, ticket } = await firstStep(user)
  expect((await browser.call(loginByFactor, { ticket, totp: await app.code() })).status).toBe(200)
  return browser
}

test('an account without a factor signs in as before', async () => {
  const user = await member(t, site)
  const browser = await signInAgain(t, site, user)
  expect((await browser.call(userInfo)).data).toMatchObject({ protected: false, twoFactor: false })
})

const source = join(import.meta.dirname, '../..')

/** Where sessions begin, and how often. A new place is a decision: it must admit after its commit. */
const callers = {
  'features/factors/factor-login.service.ts': 1,
  'features/factors/passkey-login.service.ts': 1,
  'features/login/confirm.service.ts': 1,
  'features/login/login.service.ts': 3,
  'features/scan-login/scan-login.service.ts': 1,
  'features/wechat/wechat-login.service.ts': 2,
}

test('D131 every place that begins a session is listed here, and meets the gate', () => {
  const files = globSync('**/*.ts', { cwd: source }).filter((file) => !file.endsWith('.test.ts'))
  const found = files.flatMap((file) => {
    const text = readFileSync(join(source, file), 'utf8')
    if (file !== 'shared/sessions/sessions.store.ts') expect(text, file).not.toMatch(/INSERT INTO session\b/)
    const calls = text.match(/\bawait beginSession\(/g)?.length ?? 0
    return calls > 0 ? [[file, calls] as const] : []
  })
  expect(Object.fromEntries(found)).toEqual(callers)
})
