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

/** To WeChat and back without a page: the wish that the browser carries is made a silent one. */
async function unseen(browser: Browser, path: string, person: string): Promise<string> {
  const away = new URL(String((await browser.get(path)).headers.location))
  away.searchParams.set('scope', 'snsapi_base')
  away.searchParams.delete('forcePopup')
  const { pathname, search } = await returnFromWechat(away.href, person)
  return await comeBack(browser, pathname + search)
}

/** The code of a silent trip given to the trip of a check. */
async function swapped(browser: Browser, person: string): Promise<string> {
  const silent = new URL(String((await t.browser(site).get('/api/login/wechat')).headers.location))
  const { searchParams } = await returnFromWechat(silent.href, person)
  const check = new URL(String((await browser.get(await wechatAction(browser, 'check'))).headers.location))
  const code = searchParams.get('code') ?? ''
  return await comeBack(browser, `/api/wechat/callback?code=${code}&state=${check.searchParams.get('state')}`)
}

const state = async (browser: Browser) => (await browser.call(twoFactorState)).data

let people = 0

/** A person of the simulated WeChat whom no other test meets, and an account that is entered by it alone. */
async function wechatOnly(): Promise<string> {
  const person = ['lin', 'chen', 'zhou'][people++] ?? ''
  const browser = t.browser(site)
  expect(await throughWechat(browser, '/api/login/wechat?tap=1', person)).toBe('/login?wechat=choose')
  expect((await browser.call(loginByNewWechat, {})).status).toBe(200)
  expect((await state(browser))?.twoFactor, 'an act that the user sees').toBe(true)
  return person
}

const ways: Record<string, (browser: Browser, person: string) => Promise<unknown>> = {
  'a silent sign-in': (browser, person) => throughWechat(browser, '/api/login/wechat', person),
  'a tap whose wish was made silent': (browser, person) => unseen(browser, '/api/login/wechat?tap=1', person),
  'a check whose wish was made silent': async (browser, person) => {
    await throughWechat(browser, '/api/login/wechat', person)
    return await unseen(browser, await wechatAction(browser, 'check'), person)
  },
  'a check with the code of a silent trip': async (browser, person) => {
    await throughWechat(browser, '/api/login/wechat', person)
    return await swapped(browser, person)
  },
  'a check without anything': async (browser, person) => {
    await throughWechat(browser, '/api/login/wechat', person)
    return await browser.call(verifyTwoFactor, {})
  },
}

test('A51 an account that has only WeChat is stepped up by nothing that its user did not see', async () => {
  const person = await wechatOnly()
  const stepped: string[] = []
  for (const [name, way] of Object.entries(ways)) {
    const browser = t.browser(site)
    await way(browser, person)
    const now = await state(browser)
    expect(now, `${name}: signed in`).toBeDefined()
    if (now?.twoFactor || (await browser.call(closeAccount)).status === 200) stepped.push(name)
  }
  expect(stepped).toEqual([])
  figure(`of ${Object.keys(ways).length} silent ways that step up`, stepped.length, ['=', 0])
})

test('A51 nor is it a second proof besides a texted code', async () => {
  const person = await wechatOnly()
  const mobile = fresh.mobile()
  const browser = t.browser(site)
  await throughWechat(browser, '/api/login/wechat', person)
  const id = (await browser.call(userInfo)).data?.id as UserId
  await t.deps.pool.query("UPDATE users SET mobile_prefix = '86', mobile = $2 WHERE id = $1", [id, mobile])
  await invalidateUser(t.deps, site.id, id)
  const proved: string[] = []
  for (const [name, way] of Object.entries(ways)) {
    const thief = t.browser(site)
    await way(thief, person)
    await passCheck(t, site, thief, mobile)
    const owed = (await state(thief))?.second ?? []
    if (owed.length === 0 || (await thief.call(closeAccount)).status === 200) proved.push(name)
  }
  expect(proved).toEqual([])
  figure(`of ${Object.keys(ways).length} silent ways that prove a second kind`, proved.length, ['=', 0])
})

test('A51 the page of WeChat that the user agrees on does both', async () => {
  const person = await wechatOnly()
  const browser = t.browser(site)
  await throughWechat(browser, '/api/login/wechat', person)
  expect(await state(browser)).toMatchObject({ twoFactor: false, second: ['wechat'] })
  expect(await throughWechat(browser, await wechatAction(browser, 'check'), person)).toBe('/user')
  expect(await state(browser)).toMatchObject({ twoFactor: true, second: [] })
})
