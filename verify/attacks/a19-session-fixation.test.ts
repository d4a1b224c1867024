import { changeUsername } from '@hufu/contract/account'
import { confirmLogin, loginByMobile, loginByPassword, logout } from '@hufu/contract/login'
import { userInfo } from '@hufu/contract/profile'
import { createScanRequest } from '@hufu/contract/scan-login'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fresh, type TestSite } from '../../apps/server/test/test-app.ts'
import { newWechat } from '../../apps/server/test/wechat-phone.ts'
import { figure } from '../harness/assert-figure.ts'
import { askCode, type Browser, few, type Harness, number, openHarness, password } from '../harness/harness.ts'
import { check, decide } from '../harness/scan.ts'
import { throughWechat, wechatAction } from './by-wechat.ts'
import { passCheck } from './checks.ts'

const rounds = few(50, 4)
const cookie = '__Host-hufu'

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite({ wechat: await newWechat() })
})
afterAll(() => t.close())

type Victim = Awaited<ReturnType<Harness['user']>>

/** A signed-in browser would be sent a code for another purpose, so the victim's code is requested in another browser. */
async function textedCode({ mobile }: Victim) {
  await t.passMinute(site, `+86${mobile}`)
  return { ...number(mobile), code: await askCode(t.browser(site), mobile) }
}

/** Every way to sign in, in a browser that an attacker has prepared. */
const ways: Record<string, (browser: Browser, victim: Victim) => Promise<unknown>> = {
  password: (browser, { email }) => browser.call(loginByPassword, { account: email, password }),
  code: async (browser, victim) => browser.call(loginByMobile, await textedCode(victim)),
  async confirmation(browser, victim) {
    await t.deps.pool.query("UPDATE identity SET proved_at = now() - interval '91 days' WHERE user_id = $1", [
      victim.id,
    ])
    const { details } = await browser.call(loginByMobile, await textedCode(victim))
    return browser.call(confirmLogin, { ticket: details.ticket, mine: true, password })
  },
  async scan(browser, victim) {
    const phone = await t.session(site, victim.id)
    const { data } = await browser.call(createScanRequest)
    if (!data) throw new Error('no request was made')
    const { id, time, ip } = data
    for (const status of [0, 1] as const) await decide(phone, { id, time, ip }, status)
    return check({ browser, request: { id, time, ip } })
  },
  WeChat: (browser) => throughWechat(browser, '/api/login/wechat?tap=1', 'chen'),
}

test('A19 a preset cookie never becomes the session of the user who signs in, by any sign-in method', async () => {
  const [thief, victim] = [await t.user(site), await t.user(site)]
  const bound = await t.session(site, victim.id)
  await throughWechat(bound, await wechatAction(bound, 'binding'), 'chen')
  const held = (await t.session(site, thief.id)).cookies.get(cookie) ?? ''
  const [userId, , secret] = held.split('.')
  const presets = [
    held,
    `${userId}.${crypto.randomUUID()}.${secret}`,
    `${victim.id}.${crypto.randomUUID()}.${'A'.repeat(43)}`,
    `${victim.id}.${held.split('.')[1]}.${secret}`,
    'rubbish',
    '',
  ]
  let [tried, kept] = [0, 0]
  for (const preset of presets) {
    for (const [way, signIn] of Object.entries(ways)) {
      tried++
      const browser = t.browser(site)
      browser.cookies.set(cookie, preset)
      await signIn(browser, victim)
      expect((await browser.call(userInfo)).data?.id, `${way} over ${preset}`).toBe(victim.id)
      const now = (browser.cookies.get(cookie) ?? '').split('.')
      if (preset.split('.').some((part, index) => index > 0 && part === now[index])) kept++
      const fixed = t.browser(site)
      fixed.cookies.set(cookie, preset)
      if ((await fixed.call(userInfo)).data?.id === victim.id) kept++
    }
  }
  figure(`of ${tried} sign-ins over a preset cookie kept anything of it`, kept, ['=', 0])
})

test('A19 after a step-up and after a change the token is a new one, too', async () => {
  const user = await t.user(site)
  const browser = await t.session(site, user.id)
  const seen = [browser.cookies.get(cookie)]
  await passCheck(t, site, browser, user.mobile)
  seen.push(browser.cookies.get(cookie))
  expect((await browser.call(changeUsername, { username: fresh.username() })).status).toBe(200)
  seen.push(browser.cookies.get(cookie))
  figure('different tokens of a session before and after a step-up and a change', new Set(seen).size, ['=', 3])
})

test('A19 one browser, one user after another: every token is new and opens its own account alone', async () => {
  const users = [await t.user(site), await t.user(site)]
  const browser = t.browser(site)
  const seen = new Set<string>()
  for (let round = 0; round < rounds; round++) {
    const user = users[round % 2]
    if (!user) throw new Error('no user')
    await browser.call(loginByPassword, { account: user.username, password: user.password })
    const token = browser.cookies.get(cookie) ?? ''
    const [, id = '', secret = ''] = token.split('.')
    expect(seen.has(id) || seen.has(secret)).toBe(false)
    seen.add(id).add(secret)
    expect((await browser.call(userInfo)).data?.id).toBe(user.id)
    if (round % 5 === 4) await browser.call(logout)
  }
  figure('different tokens of sign-ins of two users in one browser', seen.size / 2, ['=', rounds])
})

test('A19 a second cookie of the same name, slipped in, counts for nothing', async () => {
  const [mine, theirs] = [
    await t.session(site, (await t.user(site)).id),
    await t.session(site, (await t.user(site)).id),
  ]
  const pair = (session: typeof mine) => `${cookie}=${session.cookies.get(cookie)}`
  for (const header of [`${pair(mine)}; ${pair(theirs)}`, `${pair(theirs)}; ${pair(mine)}`]) {
    expect((await t.browser(site).post(userInfo.path, '{}', { cookie: header })).code).toBe('NOT_LOGGED_IN')
  }
})
