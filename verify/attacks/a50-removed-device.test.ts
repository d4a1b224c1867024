import { changePassword } from '@hufu/contract/account'
import { removeDevice, removeOtherDevices } from '@hufu/contract/devices'
import { loginByMobile, loginByPassword, logout } from '@hufu/contract/login'
import { closeAccount } from '@hufu/contract/personal-data'
import { disownSignIn } from '@hufu/contract/security'
import { twoFactorState } from '@hufu/contract/two-factor'
import { sendMobileCode } from '@hufu/contract/verify-code'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { UserId } from '../../apps/server/src/platform/ids.ts'
import { codeTo, messagesTo, sessionOf, type TestSite, times } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { type Browser, few, type Harness, number, openHarness } from '../harness/harness.ts'
import { passCheck } from './checks.ts'

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
})
afterAll(() => t.close())

type Owner = Awaited<ReturnType<typeof t.user>>

async function enterByCode(browser: Browser, { mobile }: Owner): Promise<void> {
  await t.passMinute(site, `+86${mobile}`)
  // With a session the code would be one for changing the number.
  for (const name of ['__Host-hufu', '__Host-hufu-in']) browser.cookies.delete(name)
  // The number has had codes before: the new one is waited for.
  const before = (await messagesTo(mobile)).length
  expect((await browser.call(sendMobileCode, number(mobile))).status).toBe(200)
  await expect.poll(async () => (await messagesTo(mobile)).length).toBeGreaterThan(before)
  const code = await codeTo(mobile)
  expect((await browser.call(loginByMobile, { ...number(mobile), code })).status).toBe(200)
}

/** A browser that signed in with an SMS code, as the holder of the phone does. */
async function browserOf(owner: Owner): Promise<Browser> {
  const browser = t.browser(site)
  await enterByCode(browser, owner)
  return browser
}

/** Another tab of it, without its session. */
function sameBrowser({ cookies }: Browser): Browser {
  const tab = t.browser(site)
  tab.cookies.set('__Host-hufu-browser', cookies.get('__Host-hufu-browser') ?? '')
  return tab
}

const age = (id: UserId, column: 'first_seen' | 'last_used', interval: string) =>
  t.deps.pool.query(`UPDATE known_browser SET ${column} = ${column} - $2::interval WHERE user_id = $1`, [id, interval])

/** The owner's browser and another, both known for four days. */
async function twoKnown() {
  const owner = await t.user(site)
  const [own, lost] = [await browserOf(owner), await browserOf(owner)]
  await age(owner.id, 'first_seen', '4 days')
  expect((await lost.call(twoFactorState)).data?.second, 'known before').toEqual([])
  return { owner, own, lost }
}

/** Whether an SMS code is enough again in a browser, for what a new browser may not do with it. */
async function isTrusted(browser: Browser, owner: Owner): Promise<boolean> {
  await enterByCode(browser, owner)
  await passCheck(t, site, browser, owner.mobile)
  const owes = ((await browser.call(twoFactorState)).data?.second.length ?? 0) > 0
  const { status, code } = await browser.call(closeAccount)
  expect(owes ? code : status).toBe(owes ? 'TWO_FACTOR_REQUIRED' : 200)
  return !owes
}

type Given = Awaited<ReturnType<typeof twoKnown>>

const ways: Record<string, (given: Given) => Promise<{ status: number } | undefined>> = {
  'removing it': ({ own, lost }) => own.call(removeDevice, { id: sessionOf(lost) }),
  'signing out all others': ({ own }) => own.call(removeOtherDevices),
  'signing out all others after it left': async ({ own, lost }) => {
    await lost.call(logout)
    return await own.call(removeOtherDevices)
  },
  不是我: ({ own, lost }) => own.call(disownSignIn, { id: sessionOf(lost) }),
  'a new password': async ({ owner, own }) => {
    await passCheck(t, site, own, owner.mobile)
    return await own.call(changePassword, { password: 'Neu#2026pass' })
  },
  '180 days without use': async ({ owner }) => {
    await age(owner.id, 'first_seen', '180 days')
    await age(owner.id, 'last_used', '180 days')
    return undefined
  },
}

test.each(Object.entries(ways))('A50 %s leaves no trust in that browser', async (name, end) => {
  let trusted = 0
  const rounds = few(10, 1)
  for (let round = 0; round < rounds; round++) {
    const given = await twoKnown()
    expect((await end(given))?.status ?? 200).toBe(200)
    if (await isTrusted(given.lost, given.owner)) trusted++
  }
  figure(`${name}: of ${rounds} browsers still trusted`, trusted, ['=', 0])
})

test('A50 a removal under sign-ins of the same browser leaves none of its former trust', async () => {
  let old = 0
  const rounds = few(20, 3)
  for (let round = 0; round < rounds; round++) {
    const { owner, own, lost } = await twoKnown()
    const { username: account, password } = owner
    const id = sessionOf(lost)
    const enter = () => sameBrowser(lost).call(loginByPassword, { account, password })
    const [removed, ...entered] = await Promise.all([own.call(removeDevice, { id }), ...times(6, enter)])
    expect(removed.status).toBe(200)
    expect(entered.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
    const { rows } = await t.deps.pool.query(
      `SELECT FROM known_browser k JOIN session s ON s.user_id = k.user_id AND s.browser_hash = k.cookie_hash
        WHERE s.id = $1 AND k.first_seen < now() - interval '72 hours'`,
      [id],
    )
    old += rows.length
  }
  figure(`of ${rounds} browsers removed while they sign in, known since before`, old, ['=', 0])
})

test('A50 a thief in a new browser signs the owner out but makes the account forget no browser', async () => {
  const removals: Record<string, (thief: Browser, own: Browser) => Promise<{ status: number }>> = {
    remove: (thief, own) => thief.call(removeDevice, { id: sessionOf(own) }),
    'remove all': (thief) => thief.call(removeOtherDevices),
    不是我: (thief, own) => thief.call(disownSignIn, { id: sessionOf(own) }),
  }
  for (const [name, remove] of Object.entries(removals)) {
    const { owner, own } = await twoKnown()
    const thief = await browserOf(owner)
    expect((await remove(thief, own)).status, name).toBe(200)
    expect((await own.call(twoFactorState)).code, name).toBe('SESSION_REMOVED')
    expect(await isTrusted(thief, owner), name).toBe(false)
    expect(await isTrusted(own, owner), name).toBe(true)
  }
})

test('A50 signing out oneself and a new password keep the trust in the own browser', async () => {
  const { owner, own } = await twoKnown()
  await passCheck(t, site, own, owner.mobile)
  expect((await own.call(changePassword, { password: 'Neu#2026pass' })).status).toBe(200)
  expect((await own.call(removeDevice, { id: sessionOf(own) })).status).toBe(200)
  expect(await isTrusted(own, owner)).toBe(true)
})
