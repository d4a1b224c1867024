import { bindAuthorization, createAuthorization, exchangeTicket } from '@hufu/contract/authorize'
import { confirmLogin, loginByMobile, loginByPassword } from '@hufu/contract/login'
import { userInfo } from '@hufu/contract/profile'
import { checkScanRequest, createScanRequest, processScanRequest } from '@hufu/contract/scan-login'
import { sendMobileCode } from '@hufu/contract/verify-code'
import { wechatTicket } from '@hufu/contract/wechat'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Member, member, password } from '../../../test/account-user.ts'
import { codeTo, startTestApp, type TestApp, type TestBrowser, type TestSite } from '../../../test/test-app.ts'
import { newWechat, returnFromWechat } from '../../../test/wechat-phone.ts'

const shop = { id: 'shop', name: '海风书店', secret: 'shop-secret-2026', sources: ['https://shop.example.com'] }

let t: TestApp
let site: TestSite
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite({ wechat: await newWechat(), clients: [shop] })
})
afterAll(() => t.close())

/** The account is due from this moment on, and no job has run. */
const becomeDue = ({ id }: Member) =>
  t.deps.pool.query('INSERT INTO deletion (site_id, user_id, due_at) VALUES ($1, $2, clock_timestamp())', [site.id, id])

const sessionsOf = async ({ id }: Member): Promise<number> =>
  (await t.deps.pool.query('SELECT FROM session WHERE user_id = $1', [id])).rows.length

async function through(browser: TestBrowser, address: string): Promise<string> {
  const back = await returnFromWechat(await browser.go(address), 'lin')
  return await browser.go(back.href, { 'sec-fetch-site': 'cross-site' })
}

async function byCode({ mobile }: Member, browser = t.browser(site)) {
  await t.passMinute(site, `+86${mobile}`)
  await browser.call(sendMobileCode, { mobilePrefix: '86', mobile })
  return await browser.call(loginByMobile, { mobilePrefix: '86', mobile, code: await codeTo(mobile) })
}

test('a session, a password and a code are refused', async () => {
  const user = await member(t, site)
  expect((await byCode(user)).status).toBe(200)
  const before = await sessionsOf(user)
  await becomeDue(user)
  // What was cached a moment ago had no closing; closing the account invalidates that.
  await t.deps.cache.del(`{${site.id}:${user.id}}:u2`)
  expect((await user.call(userInfo)).code).toBe('SESSION_REMOVED')
  for (const account of [user.username, user.email, user.mobile])
    expect((await t.call(site, loginByPassword, { account, password })).code).toBe('ACCOUNT_DISABLED')
  expect((await byCode(user)).code).toBe('ACCOUNT_DISABLED')
  expect(await sessionsOf(user)).toBe(before)
})

test('a number that was silent for long leads into no account that is due', async () => {
  const user = await member(t, site)
  await t.deps.pool.query("UPDATE identity SET proved_at = now() - interval '91 days' WHERE user_id = $1", [user.id])
  await becomeDue(user)
  const browser = t.browser(site)
  const { code, details } = await byCode(user, browser)
  expect(code).toBe('LOGIN_CONFIRM')
  const claim = await browser.call(confirmLogin, { ticket: details.ticket, mine: true, password })
  expect(claim.code).toBe('ACCOUNT_DISABLED')
  expect(await sessionsOf(user)).toBe(1)
})

test('WeChat leads into no account that is due', async () => {
  const user = await member(t, site)
  const { data } = await user.call(wechatTicket)
  await through(user, `/api/user/wechat/binding?source=%2Fuser&ticket=${data}`)
  const known = t.browser(site)
  expect(await through(known, '/api/login/wechat?tap=1')).toBe('/user')
  await becomeDue(user)
  const browser = t.browser(site)
  expect(await through(browser, '/api/login/wechat?tap=1')).toContain('ACCOUNT_DISABLED')
  expect(await sessionsOf(user)).toBe(2)
})

test('a scan that was approved before begins no session after', async () => {
  const user = await member(t, site)
  const desk = t.browser(site)
  const { data } = await desk.call(createScanRequest)
  const { id = '', time = 0, ip = '' } = data ?? {}
  for (const status of [0, 1] as const) await user.call(processScanRequest, { id, time, ip, status })
  await becomeDue(user)
  expect((await desk.call(checkScanRequest, { id, time, ip })).code).toBe('ACCOUNT_DISABLED')
  expect(await sessionsOf(user)).toBe(1)
})

test('another site learns nothing of an account that is due, and is not noted', async () => {
  const user = await member(t, site)
  const { data: id = '' } = await user.call(createAuthorization, { source: `${shop.sources[0]}/callback` })
  const { data: back = '' } = await user.call(bindAuthorization, { id })
  await becomeDue(user)
  const ticket = new URL(back).searchParams.get('authorize') ?? ''
  const answer = await t.call(site, exchangeTicket, { client: shop.id, secret: shop.secret, ticket })
  expect(answer.code).toBe('AUTHORIZE_TICKET')
  expect((await t.deps.pool.query('SELECT FROM authorized_client WHERE user_id = $1', [user.id])).rows).toEqual([])
})
