import { bindAuthorization, createAuthorization, exchangeTicket } from '@hufu/contract/authorize'
import { confirmLogin, loginByMobile, loginByPassword, logout } from '@hufu/contract/login'
import { changeNickname, userInfo } from '@hufu/contract/profile'
import { checkScanRequest, createScanRequest, processScanRequest } from '@hufu/contract/scan-login'
import { userStatistics } from '@hufu/contract/statistics'
import { sendTwoFactorMobileCode } from '@hufu/contract/two-factor'
import { sendMobileCode } from '@hufu/contract/verify-code'
import { loginByNewWechat, wechatTicket } from '@hufu/contract/wechat'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { member, password, signInAgain } from '../../../test/account-user.ts'
import {
  codeTo,
  fresh,
  startTestApp,
  type TestApp,
  type TestBrowser,
  type TestSite,
  times,
  wrongCode,
} from '../../../test/test-app.ts'
import { type Counted, readUsage } from '../../../test/usage-rows.ts'
import { newWechat, returnFromWechat } from '../../../test/wechat-phone.ts'
import { changeStatus } from '../users/users.service.ts'

let t: TestApp
beforeAll(async () => {
  t = await startTestApp()
})
afterAll(() => t.close())

const none = { authorizations: 0, authorizedUsers: 0 }

/** What was counted meanwhile; distinct users, so one who was counted before adds none. */
async function counted(site: TestSite, work: () => Promise<unknown>): Promise<Counted> {
  const before = await readUsage(t, site)
  await work()
  const after = await readUsage(t, site)
  const names = Object.keys(after) as (keyof Counted)[]
  return Object.fromEntries(names.map((name) => [name, after[name] - before[name]])) as unknown as Counted
}

const number = (mobile: string) => ({ mobilePrefix: '86', mobile })

test('a sign-in by code is an authorization, and each of its steps is counted once', async () => {
  const site = await t.codeSite()
  const mobile = fresh.mobile()
  const browser = t.browser(site)
  expect(await counted(site, () => browser.call(sendMobileCode, number(mobile)))).toMatchObject({
    codeSent: 1,
    codeVerified: 0,
    codeSignedIn: 0,
    ...none,
  })
  const code = await codeTo(mobile)
  const login = { ...number(mobile), code }
  const wrong = () => browser.call(loginByMobile, { ...login, code: wrongCode(code) })
  expect(await counted(site, wrong)).toMatchObject({ codeVerified: 0, codeSignedIn: 0, ...none })
  const atOnce = () => Promise.all(times(4, () => browser.call(loginByMobile, login)))
  expect(await counted(site, atOnce)).toMatchObject({
    codeSent: 0,
    codeVerified: 1,
    codeSignedIn: 1,
    authorizations: 1,
    authorizedUsers: 1,
  })
})

test('a code that no gateway took, or that is not for signing in, was not sent', async () => {
  const bare = await t.site()
  expect(await counted(bare, () => t.call(bare, sendMobileCode, number(fresh.mobile())))).toMatchObject({ codeSent: 0 })
  const site = await t.codeSite()
  const own = await member(t, site)
  expect(await counted(site, () => own.call(sendTwoFactorMobileCode))).toMatchObject({ codeSent: 0, calls: 1 })
})

test.each([true, false])('a sign-in that had to be confirmed counts when it is (mine: %s)', async (mine) => {
  const site = await t.codeSite()
  const own = await member(t, site)
  await t.deps.pool.query("UPDATE identity SET proved_at = now() - interval '91 days' WHERE site_id = $1", [site.id])
  const browser = t.browser(site)
  await browser.call(sendMobileCode, number(own.mobile))
  const code = await codeTo(own.mobile)
  let ticket = ''
  const asked = await counted(site, async () => {
    ticket = (await browser.call(loginByMobile, { ...number(own.mobile), code })).details.ticket
  })
  expect(asked).toMatchObject({ codeVerified: 1, codeSignedIn: 0, ...none })
  const confirmed = await counted(site, () => browser.call(confirmLogin, { ticket, mine, password }))
  expect(confirmed).toMatchObject({ codeVerified: 0, codeSignedIn: 1, authorizations: 1 })
  expect(confirmed.authorizedUsers).toBe(mine ? 0 : 1)
})

test('a sign-in by password counts, a refused one does not, and the same user is one', async () => {
  const site = await t.codeSite()
  const own = await member(t, site)
  expect(await readUsage(t, site)).toMatchObject({ authorizations: 1, authorizedUsers: 1, codeSignedIn: 0 })
  expect(await counted(site, () => signInAgain(t, site, own))).toMatchObject({ authorizations: 1, authorizedUsers: 0 })
  const wrong = () => t.call(site, loginByPassword, { account: own.username, password: 'Wrong#2026x' })
  expect(await counted(site, wrong)).toMatchObject(none)
  await changeStatus(t.deps, site.id, own.id as never, 'disabled', 'test')
  const disabled = () => t.call(site, loginByPassword, { account: own.username, password })
  expect(await counted(site, disabled)).toMatchObject(none)
})

test('a scan is counted as shown, scanned and approved, each once however often the page asks or the phone repeats', async () => {
  const site = await t.codeSite()
  const [user, stranger] = [await t.signIn(site), await t.signIn(site)]
  const desk = t.browser(site)
  let request = { id: '', time: 0, ip: '' }
  const shown = await counted(site, async () => {
    const { data } = await desk.call(createScanRequest)
    if (data) request = { id: data.id, time: data.time, ip: data.ip }
  })
  expect(shown).toMatchObject({ scanShown: 1, scanScanned: 0, ...none })
  const decide = (status: 0 | 1) => () =>
    Promise.all(times(3, () => user.call(processScanRequest, { ...request, status })))
  expect(await counted(site, decide(0))).toMatchObject({ scanScanned: 1, scanApproved: 0, ...none })
  const foreign = () => stranger.call(processScanRequest, { ...request, status: 1 })
  expect(await counted(site, foreign)).toMatchObject({ scanScanned: 0, scanApproved: 0 })
  expect(await counted(site, decide(1))).toMatchObject({ scanScanned: 0, scanApproved: 1, ...none })
  const check = () => Promise.all(times(3, () => desk.call(checkScanRequest, request)))
  expect(await counted(site, check)).toMatchObject({ authorizations: 1, authorizedUsers: 0, scanShown: 0 })
  expect((await desk.call(userInfo)).data?.id).toBe(user.id)
})

test('a rejected scan is none that was approved', async () => {
  const site = await t.codeSite()
  const user = await t.signIn(site)
  const { data } = await t.browser(site).call(createScanRequest)
  if (!data) throw new Error('no request was made')
  const { origin: _origin, ...request } = data
  const reject = async () => {
    await user.call(processScanRequest, { ...request, status: 0 })
    await user.call(processScanRequest, { ...request, status: 2 })
  }
  expect(await counted(site, reject)).toMatchObject({ scanScanned: 1, scanApproved: 0 })
})

/** Through WeChat as that user. */
async function through(browser: TestBrowser, address: string, user: string): Promise<string> {
  const back = await returnFromWechat(await browser.go(address), user)
  return await browser.go(back.href, { 'sec-fetch-site': 'cross-site' })
}

test('WeChat counts for a new account, tapped and silent; a stranger, a binding and a check are no sign-ins', async () => {
  const site = await t.codeSite({ wechat: { ...(await newWechat()) } })
  const phone = () => t.browser(site, { userAgent: 'MicroMessenger/8.0.50' })
  const silent = '/api/login/wechat?source=%2Fuser'
  expect(await counted(site, () => through(phone(), silent, 'lin'))).toMatchObject(none)
  const browser = phone()
  const tap = () => through(browser, '/api/login/wechat?tap=1', 'lin')
  expect(await counted(site, tap)).toMatchObject(none)
  const create = () => browser.call(loginByNewWechat, {})
  expect(await counted(site, create)).toMatchObject({ authorizations: 1, authorizedUsers: 1 })
  expect(await counted(site, create)).toMatchObject(none)
  expect(await counted(site, tap)).toMatchObject({ authorizations: 1, authorizedUsers: 0 })
  expect(await counted(site, () => through(phone(), silent, 'lin'))).toMatchObject({ authorizations: 1 })
  const own = await member(t, site)
  const bind = async () => {
    const { data } = await own.call(wechatTicket)
    expect(await through(own, `/api/user/wechat/binding?source=%2Fuser&ticket=${data}`, 'chen')).toBe('/user')
  }
  expect(await counted(site, bind)).toMatchObject(none)
})

test('an authorize counts when its ticket is exchanged, once', async () => {
  const origin = 'https://shop.example.com'
  const shop = { client: 'shop', secret: 'shop-secret-2026' }
  const clients = [{ id: shop.client, name: '海风书店', secret: shop.secret, sources: [origin] }]
  const site = await t.codeSite({ clients })
  const user = await t.signIn(site)
  let ticket = ''
  const bound = await counted(site, async () => {
    const { data: id = '' } = await t.call(site, createAuthorization, { source: `${origin}/back` })
    const { data: address = '' } = await user.call(bindAuthorization, { id })
    ticket = new URL(address).searchParams.get('authorize') ?? ''
  })
  expect(bound).toMatchObject(none)
  const exchange = () => Promise.all(times(3, () => t.call(site, exchangeTicket, { ...shop, ticket })))
  expect(await counted(site, exchange)).toMatchObject({ authorizations: 1, authorizedUsers: 0 })
})

test('accessed are signed-in users with a call, also a refused one; no others', async () => {
  const site = await t.codeSite()
  const user = await t.signIn(site)
  const asked = await readUsage(t, site)
  expect(asked).toMatchObject({ authorizedUsers: 1, accessedUsers: 0 })
  expect(await counted(site, () => user.call(userInfo))).toMatchObject({ accessedUsers: 1 })
  expect(await counted(site, () => user.call(changeNickname, { nickname: '阿青' }))).toMatchObject({
    accessedUsers: 0,
  })
  const other = await t.signIn(site)
  expect(await counted(site, () => other.call(userStatistics))).toMatchObject({ calls: 1, accessedUsers: 1 })
  expect(await counted(site, () => t.call(site, userInfo))).toMatchObject({ calls: 1, accessedUsers: 0 })
  const third = await t.signIn(site)
  const cookies = new Map(third.cookies)
  await third.call(logout)
  const gone = t.browser(site)
  for (const [name, value] of cookies) gone.cookies.set(name, value)
  expect(await counted(site, () => gone.call(userInfo))).toMatchObject({ calls: 1, accessedUsers: 0 })
})
