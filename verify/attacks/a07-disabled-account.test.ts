import { loginByFactor, loginByPasskey, passkeyLoginOptions } from '@hufu/contract/factors'
import { confirmLogin, loginByMobile, loginByPassword } from '@hufu/contract/login'
import { userInfo } from '@hufu/contract/profile'
import { finishRecovery, openRecovery, sendRecoveryEmailCode, startRecovery } from '@hufu/contract/recovery'
import { loginByNewWechat } from '@hufu/contract/wechat'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { changeStatus } from '../../apps/server/src/features/users/users.service.ts'
import type { UserId } from '../../apps/server/src/platform/ids.ts'
import { protect } from '../../apps/server/test/factors.ts'
import { openTicket, provedTicket, readyTicket, wantedNumber } from '../../apps/server/test/recovering.ts'
import { type TestSite, times } from '../../apps/server/test/test-app.ts'
import { newWechat } from '../../apps/server/test/wechat-phone.ts'
import { figure } from '../harness/assert-figure.ts'
import { bind, createId, exchange, shop, ticketIn } from '../harness/authorizing.ts'
import { askCode, type Browser, few, type Harness, number, openHarness, password } from '../harness/harness.ts'
import { tally } from '../harness/http.ts'
import { check, decide, hasSession, showCode } from '../harness/scan.ts'
import { comeBack, setOut, throughWechat, wechatAction } from './by-wechat.ts'
import { confirmTicket } from './codes.ts'
import { protect as addFactors } from './protected-account.ts'
import { allEndpoints, answerFieldsOf } from './samples.ts'

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite({ clients: [shop] })
})
afterAll(() => t.close())

const disable = (id: UserId, at = site) => changeStatus(t.deps, at.id, id, 'disabled', 'attack')

/** Sessions that a user got, by scan only or in total. */
async function sessionsOf(id: UserId, method?: string): Promise<number> {
  const query = 'SELECT FROM session WHERE user_id = $1 AND method = coalesce($2, method)'
  return (await t.deps.pool.query(query, [id, method])).rows.length
}

const steps = ['before the scan', 'after the scan', 'after approving'] as const

test.each(steps)('A07 an account that is disabled %s gets no session', async (when) => {
  const rounds = few(20, 2)
  let sessions = 0
  for (let round = 0; round < rounds; round++) {
    const waiting = await showCode(t, site)
    const approver = await t.session(site, (await t.user(site, { password: undefined })).id)
    const expected = { scan: 200, tap: 200 }
    if (when === 'before the scan') await disable(approver.id)
    if (when === 'before the scan') Object.assign(expected, { scan: 401, tap: 401 })
    expect((await decide(approver, waiting.request, 0)).status).toBe(expected.scan)
    if (when === 'after the scan') await disable(approver.id)
    if (when === 'after the scan') expected.tap = 401
    expect((await decide(approver, waiting.request, 1)).status).toBe(expected.tap)
    if (when === 'after approving') await disable(approver.id)
    const checks = await Promise.all(times(4, () => check(waiting)))
    if (when === 'after approving') expect(tally(checks.map(({ code }) => code))).toEqual({ ACCOUNT_DISABLED: 4 })
    sessions += Number(hasSession(waiting.browser)) + (await sessionsOf(approver.id, 'scan'))
  }
  figure(`sessions of ${rounds} accounts disabled ${when}`, sessions, ['=', 0])
})

test('A07 disabling and polling at once: either no session, or one that has ended', async () => {
  const rounds = few(60, 5)
  let refused = 0
  let alive = 0
  for (let round = 0; round < rounds; round++) {
    const waiting = await showCode(t, site)
    const approver = await t.session(site, (await t.user(site, { password: undefined })).id)
    await decide(approver, waiting.request, 0)
    await decide(approver, waiting.request, 1)
    const [answer] = await Promise.all([check(waiting), disable(approver.id)])
    if (answer.code === 'ACCOUNT_DISABLED') refused++
    if ((await waiting.browser.call(userInfo)).status !== 401) alive++
  }
  console.log(`A07: ${rounds} times disabled in the moment of the check: ${refused} refused, the rest dead at once`)
  figure(`live sessions of ${rounds} accounts disabled during the poll`, alive, ['=', 0])
})

type Account = Awaited<ReturnType<Harness['user']>>

/** Every other sign-in method, up to its last step; returns that step, to be taken once the account is disabled. */
const ways: Record<string, (account: Account, browser: Browser) => Promise<() => Promise<{ status: number }>>> = {
  password:
    async ({ username }, browser) =>
    () =>
      browser.call(loginByPassword, { account: username, password }),
  async code({ mobile }, browser) {
    const code = await askCode(browser, mobile)
    return () => browser.call(loginByMobile, { ...number(mobile), code })
  },
  'code asked for later':
    async ({ mobile }, browser) =>
    async () =>
      await browser.call(loginByMobile, { ...number(mobile), code: await askCode(browser, mobile) }),
  async 'confirmation by password'({ id, mobile }, browser) {
    const ticket = await confirmTicket(t, browser, id, mobile)
    return () => browser.call(confirmLogin, { ticket, mine: true, password })
  },
  async 'second step'({ id, username }, browser) {
    const app = await protect(t.deps, site.id, id)
    const { details } = await browser.call(loginByPassword, { account: username, password })
    return async () => browser.call(loginByFactor, { ticket: String(details?.ticket), totp: await app.code() })
  },
  recovery:
    async ({ username }, browser) =>
    () =>
      browser.call(openRecovery, { account: username, password }),
  async 'recovery that was opened'({ username }, browser) {
    const ticket = await openTicket(browser, username)
    return () => browser.call(sendRecoveryEmailCode, { ticket })
  },
  async 'recovery that was proved'(account, browser) {
    const { ticket } = await provedTicket(t, site, browser, account)
    return () => browser.call(startRecovery, { ticket })
  },
  async 'recovery that has waited'(account, browser) {
    const wanted = await wantedNumber(browser, await readyTicket(t, site, browser, account))
    return () => browser.call(finishRecovery, wanted)
  },
}

test.each(Object.entries(ways))(
  'A07 nor by any other sign-in method, also one that was started before: %s',
  async (way, begin) => {
    const account = await t.user(site)
    const browser = t.browser(site)
    const goOn = await begin(account, browser)
    await disable(account.id)
    expect((await goOn()).status).toBeGreaterThanOrEqual(400)
    const { rows } = await t.deps.pool.query('SELECT mobile FROM users WHERE id = $1', [account.id])
    expect(rows, 'the number stays').toEqual([{ mobile: account.mobile }])
    const sessions = Number(hasSession(browser)) + (await sessionsOf(account.id))
    figure(`${way}: sessions of a disabled account`, sessions, ['=', 0])
  },
)

test('A07 nor by a passkey', async () => {
  const { id } = await t.user(site)
  const { passkey } = await addFactors(t, site, await t.session(site, id), 'passkey')
  await disable(id)
  const browser = t.browser(site)
  const { data } = await browser.call(passkeyLoginOptions)
  const asserted = passkey?.get(data ?? {})
  if (!asserted) throw new Error('no passkey')
  expect((await browser.call(loginByPasskey, { passkey: asserted })).code).toBe('ACCOUNT_DISABLED')
  figure('passkey: sessions of a disabled account', Number(hasSession(browser)), ['=', 0])
})

test('A07 nor by WeChat, disabled before or during the redirect', async () => {
  const own = await t.codeSite({ wechat: await newWechat() })
  const { id } = await t.user(own, { password: undefined })
  const bound = await t.session(own, id)
  await throughWechat(bound, await wechatAction(bound, 'binding'), 'chen')
  expect((await bound.call(userInfo)).data?.wechatOpenId).toBeTruthy()
  const [late, known] = [t.browser(own), t.browser(own)]
  await throughWechat(known, '/api/login/wechat?tap=1', 'chen')
  expect(hasSession(known), 'enabled it is a way in').toBe(true)
  const back = await setOut(late, '/api/login/wechat?tap=1', 'chen')
  await disable(id, own)
  expect(await comeBack(late, back)).toContain('wechat=ACCOUNT_DISABLED')
  let sessions = Number(hasSession(late))
  for (const path of ['/api/login/wechat?tap=1', '/api/login/wechat']) {
    const browser = t.browser(own)
    await throughWechat(browser, path, 'chen')
    // Nor is a new account created for them.
    await browser.call(loginByNewWechat, {})
    sessions += Number(hasSession(browser))
  }
  figure('WeChat: sessions of a disabled account', sessions, ['=', 0])
})

test('A07 another site receives no disabled user, disabled before or after the redirect', async () => {
  const [before, after] = await Promise.all(
    times(2, async () => t.session(site, (await t.user(site, { password: undefined })).id)),
  )
  if (!before || !after) throw new Error('no session')
  const ids = [await createId(before), await createId(after)]
  const ticket = ticketIn((await bind(after, ids[1] ?? '')).data) ?? ''
  await disable(before.id)
  await disable(after.id)
  expect((await bind(before, ids[0] ?? '')).data).toMatch(/^\/login\//)
  const exchanged = await exchange(t, site, ticket)
  expect(exchanged.code).toBe('AUTHORIZE_TICKET')
  figure('tickets of disabled accounts that were exchanged', Number(exchanged.data !== undefined), ['=', 0])
})

test('A07 every call of the contract that starts a session is covered', () => {
  const begin = allEndpoints.filter((endpoint) => answerFieldsOf(endpoint).includes('created'))
  const known = [loginByMobile, loginByPassword, confirmLogin, loginByNewWechat, loginByFactor, loginByPasskey]
  expect(begin.map(({ path }) => path).sort()).toEqual(known.map(({ path }) => path).sort())
})
