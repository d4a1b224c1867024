import { loginByMobile, loginByPassword, logout } from '@hufu/contract/login'
import { userInfo } from '@hufu/contract/profile'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestSite } from '../apps/server/test/test-app.ts'
import { askCode, few, type Harness, number, openHarness } from './harness.ts'

const rounds = few(50, 10)
const cookie = '__Host-hufu'

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
})
afterAll(() => t.close())

test('A19 a preset cookie is never the session of whoever signs in', async () => {
  const [thief, victim] = [await t.person(site), await t.person(site)]
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
  for (const preset of presets) {
    for (const way of ['password', 'mobile'] as const) {
      const browser = t.browser(site)
      browser.cookies.set(cookie, preset)
      // Somebody signed in would be sent a code for another purpose; the victim's own code is asked before.
      const clean = t.browser(site)
      await t.passMinute(site, `+86${victim.mobile}`)
      const answer =
        way === 'password'
          ? await browser.call(loginByPassword, { account: victim.email, password: victim.password })
          : await browser.call(loginByMobile, { ...number(victim.mobile), code: await askCode(clean, victim.mobile) })
      expect(answer.data?.id, preset).toBe(victim.id)
      const now = browser.cookies.get(cookie) ?? ''
      expect(now).not.toBe(preset)
      expect(now.split('.')[1]).not.toBe(preset.split('.')[1])
      expect(now.split('.')[2]).not.toBe(preset.split('.')[2])
      const fixed = t.browser(site)
      fixed.cookies.set(cookie, preset)
      expect((await fixed.call(userInfo)).data?.id).not.toBe(victim.id)
    }
  }
  console.log(`A19: ${presets.length * 2} preset cookies, none kept`)
})

test('A19 one browser, one person after another: every token is new and opens its own account alone', async () => {
  const people = [await t.person(site), await t.person(site)]
  const browser = t.browser(site)
  const seen = new Set<string>()
  for (let round = 0; round < rounds; round++) {
    const person = people[round % 2]
    if (!person) throw new Error('nobody')
    await browser.call(loginByPassword, { account: person.username, password: person.password })
    const token = browser.cookies.get(cookie) ?? ''
    const [, id = '', secret = ''] = token.split('.')
    expect(seen.has(id) || seen.has(secret)).toBe(false)
    seen.add(id).add(secret)
    expect((await browser.call(userInfo)).data?.id).toBe(person.id)
    if (round % 5 === 4) await browser.call(logout)
  }
  console.log(`A19: ${rounds} sign-ins of two people in one browser, ${seen.size / 2} different tokens`)
  expect(seen.size).toBe(rounds * 2)
})

test('A19 a second cookie of the same name, slipped in, counts for nothing', async () => {
  const [mine, theirs] = [
    await t.session(site, (await t.person(site)).id),
    await t.session(site, (await t.person(site)).id),
  ]
  const pair = (session: typeof mine) => `${cookie}=${session.cookies.get(cookie)}`
  for (const header of [`${pair(mine)}; ${pair(theirs)}`, `${pair(theirs)}; ${pair(mine)}`]) {
    expect((await t.browser(site).post(userInfo.path, '{}', { cookie: header })).code).toBe('NOT_LOGGED_IN')
  }
})
