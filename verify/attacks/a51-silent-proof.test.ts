import { closeAccount } from '@hufu/contract/personal-data'
import { userInfo } from '@hufu/contract/profile'
import { twoFactorState, verifyTwoFactor } from '@hufu/contract/two-factor'
import { loginByNewWechat } from '@hufu/contract/wechat'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { UserId } from '../../apps/server/src/platform/ids.ts'
import { invalidateUser } from '../../apps/server/src/shared/sessions/sessions.ts'
import { fresh, type TestSite } from '../../apps/server/test/test-app.ts'
import { newWechat, returnFromWechat } from '../../apps/server/test/wechat-phone.ts'
import { figure } from '../harness/assert-figure.ts'
import { type Browser, type Harness, openHarness } from '../harness/harness.ts'
import { comeBack, throughWechat, wechatAction } from './by-wechat.ts'
import { passCheck } from './checks.ts'

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite({ wechat: await newWechat() })
})
afterAll(() => t.close())

/** To WeChat and back without a page: the scope in the browser's request is replaced by the silent one. */
async function unseen(browser: Browser, path: string, user: string): Promise<string> {
  const away = new URL(String((await browser.get(path)).headers.location))
  away.searchParams.set('scope', 'snsapi_base')
  away.searchParams.delete('forcePopup')
  const { pathname, search } = await returnFromWechat(away.href, user)
  return await comeBack(browser, pathname + search)
}

/** The code of a silent authorization, used for the authorization of a step-up. */
async function swapped(browser: Browser, user: string): Promise<string> {
  const silent = new URL(String((await t.browser(site).get('/api/login/wechat')).headers.location))
  const { searchParams } = await returnFromWechat(silent.href, user)
  const check = new URL(String((await browser.get(await wechatAction(browser, 'check'))).headers.location))
  const code = searchParams.get('code') ?? ''
  return await comeBack(browser, `/api/wechat/callback?code=${code}&state=${check.searchParams.get('state')}`)
}

const state = async (browser: Browser) => (await browser.call(twoFactorState)).data

let users = 0

/** A user of the simulated WeChat that no other test uses, and an account with WeChat as its only sign-in method. */
async function wechatOnly(): Promise<string> {
  const user = ['lin', 'chen', 'zhou'][users++] ?? ''
  const browser = t.browser(site)
  expect(await throughWechat(browser, '/api/login/wechat?tap=1', user)).toBe('/login?wechat=choose')
  expect((await browser.call(loginByNewWechat, {})).status).toBe(200)
  expect((await state(browser))?.twoFactor, 'an act that the user sees').toBe(true)
  return user
}

const ways: Record<string, (browser: Browser, user: string) => Promise<unknown>> = {
  'a silent sign-in': (browser, user) => throughWechat(browser, '/api/login/wechat', user),
  'a tap whose wish was made silent': (browser, user) => unseen(browser, '/api/login/wechat?tap=1', user),
  'a check whose wish was made silent': async (browser, user) => {
    await throughWechat(browser, '/api/login/wechat', user)
    return await unseen(browser, await wechatAction(browser, 'check'), user)
  },
  'a check with the code of a silent trip': async (browser, user) => {
    await throughWechat(browser, '/api/login/wechat', user)
    return await swapped(browser, user)
  },
  'a check without anything': async (browser, user) => {
    await throughWechat(browser, '/api/login/wechat', user)
    return await browser.call(verifyTwoFactor, {})
  },
}

test('A51 an account that has only WeChat is stepped up by nothing that its user did not see', async () => {
  const user = await wechatOnly()
  const stepped: string[] = []
  for (const [name, way] of Object.entries(ways)) {
    const browser = t.browser(site)
    await way(browser, user)
    const now = await state(browser)
    expect(now, `${name}: signed in`).toBeDefined()
    if (now?.twoFactor || (await browser.call(closeAccount)).status === 200) stepped.push(name)
  }
  expect(stepped).toEqual([])
  figure(`of ${Object.keys(ways).length} silent ways that step up`, stepped.length, ['=', 0])
})

test('A51 nor is it a second identity proof besides an SMS code', async () => {
  const user = await wechatOnly()
  const mobile = fresh.mobile()
  const browser = t.browser(site)
  await throughWechat(browser, '/api/login/wechat', user)
  const id = (await browser.call(userInfo)).data?.id as UserId
  await t.deps.pool.query("UPDATE users SET mobile_prefix = '86', mobile = $2 WHERE id = $1", [id, mobile])
  await invalidateUser(t.deps, site.id, id)
  const proved: string[] = []
  for (const [name, way] of Object.entries(ways)) {
    const thief = t.browser(site)
    await way(thief, user)
    await passCheck(t, site, thief, mobile)
    const owed = (await state(thief))?.second ?? []
    if (owed.length === 0 || (await thief.call(closeAccount)).status === 200) proved.push(name)
  }
  expect(proved).toEqual([])
  figure(`of ${Object.keys(ways).length} silent ways that prove a second kind`, proved.length, ['=', 0])
})

test('A51 the page of WeChat that the user agrees on does both', async () => {
  const user = await wechatOnly()
  const browser = t.browser(site)
  await throughWechat(browser, '/api/login/wechat', user)
  expect(await state(browser)).toMatchObject({ twoFactor: false, second: ['wechat'] })
  expect(await throughWechat(browser, await wechatAction(browser, 'check'), user)).toBe('/user')
  expect(await state(browser)).toMatchObject({ twoFactor: true, second: [] })
})
