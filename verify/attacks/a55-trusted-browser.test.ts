import { changePassword, changeUsername } from '@hufu/contract/account'
import { removeDevice, removeOtherDevices } from '@hufu/contract/devices'
import { forgetTrusted, loginByFactor, removeFactors } from '@hufu/contract/factors'
import { loginByPassword } from '@hufu/contract/login'
import { disownSignIn } from '@hufu/contract/security'
import { twoFactorState, verifyTwoFactor } from '@hufu/contract/two-factor'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { grant } from '../../apps/server/src/features/users/users.service.ts'
import { fresh, sessionOf, type TestSite } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { type Browser, freshAddress, type Harness, openHarness } from '../harness/harness.ts'
import { check, decide, hasSession, showCode } from '../harness/scan.ts'
import { askCheckCode } from './checks.ts'
import {
  addTotp,
  forgetStep,
  type ProtectedAccount,
  protectedAccount,
  signedOut,
  steppedUp,
  ticketOf,
  totpOf,
} from './protected-account.ts'

let t: Harness
let site: TestSite
let strict: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
  strict = await t.codeSite({ protection: { trustDevices: false } })
})
afterAll(() => t.close())

/** Signs in with a code and asks for trust in the browser. */
async function trust(victim: ProtectedAccount, at: TestSite, browser = t.browser(at)): Promise<Browser> {
  await forgetStep(t, victim.id)
  const ticket = await ticketOf(browser, victim)
  const entered = await browser.call(
    loginByFactor,
    { ticket, totp: totpOf(victim.secret), trust: true },
    freshAddress(),
  )
  expect(entered.status, entered.body).toBe(200)
  return browser
}

/** Whether the password alone signs in again in this browser. */
async function isTrusted({ username, password }: ProtectedAccount, at: TestSite, browser: Browser): Promise<boolean> {
  const again = signedOut(t, at, browser)
  const { status, code } = await again.call(loginByPassword, { account: username, password }, freshAddress())
  expect(status === 200 || code === 'FACTOR_REQUIRED', `${status} ${code}`).toBe(true)
  return status === 200
}

test('A55 a trusted browser signs in with the first proof, and others don’t', async () => {
  const victim = await protectedAccount(t, site)
  const trusted = await trust(victim, site)
  expect(await isTrusted(victim, site, trusted)).toBe(true)
  expect(await isTrusted(victim, site, victim.browser)).toBe(false)
  expect(await isTrusted(victim, site, t.browser(site))).toBe(false)
  const thief = await protectedAccount(t, site)
  const thiefs = await trust(thief, site)
  figure('browsers that another account trusts and that open this one', Number(await isTrusted(victim, site, thiefs)), [
    '=',
    0,
  ])
})

test('A55 trust steps up nothing: the SMS code, the password and a scan change nothing in that browser', async () => {
  const victim = await protectedAccount(t, site)
  const trusted = signedOut(t, site, await trust(victim, site))
  const { username: account, password } = victim
  expect((await trusted.call(loginByPassword, { account, password }, freshAddress())).status).toBe(200)
  const passed: string[] = []
  const attempt = async (name: string) => {
    const { status } = await trusted.call(changeUsername, { username: fresh.username() }, freshAddress())
    if (status === 200 || (await trusted.call(twoFactorState)).data?.twoFactor) passed.push(name)
  }
  await attempt('nothing')
  await trusted.call(verifyTwoFactor, { password }, freshAddress())
  await attempt('password')
  const code = await askCheckCode(t, site, trusted, victim.mobile).catch(() => '000000')
  await trusted.call(verifyTwoFactor, { code, way: 'mobile' }, freshAddress())
  await attempt('SMS code')
  const waiting = await showCode(t, site).catch(() => undefined)
  if (waiting) {
    expect((await decide(trusted, waiting.request, 1)).code).toBe('TWO_FACTOR_REQUIRED')
    await check(waiting)
    if (hasSession(waiting.browser)) passed.push('scan')
  }
  expect(passed).toEqual([])
  figure('step-ups by a trusted browser without a factor', passed.length, ['=', 0])
})

/** What ends the trust in a browser; the owner's other browser has just proved a factor. */
const endings: Record<string, (victim: ProtectedAccount, trusted: Browser) => Promise<{ status: number } | undefined>> =
  {
    'removing it': ({ browser }, trusted) => browser.call(removeDevice, { id: sessionOf(trusted) }),
    'signing out all others': ({ browser }) => browser.call(removeOtherDevices),
    不是我: ({ browser }, trusted) => browser.call(disownSignIn, { id: sessionOf(trusted) }),
    'forgetting all': ({ browser }) => browser.call(forgetTrusted),
    '30 days': async ({ id }) => {
      await t.deps.pool.query(
        "UPDATE known_browser SET trusted_until = trusted_until - interval '30 days' WHERE user_id = $1",
        [id],
      )
      return undefined
    },
    'a right in the back-office': async ({ id }) => {
      await grant(t.deps, site.id, id, 'MERCHANT', ['READ'], 'attack')
      return undefined
    },
  }

test.each(Object.entries(endings))('A55 %s ends the trust in a browser', async (name, end) => {
  const victim = await protectedAccount(t, site)
  const trusted = await trust(victim, site)
  expect((await end(victim, trusted))?.status ?? 200).toBe(200)
  figure(`${name}: browsers still trusted`, Number(await isTrusted(victim, site, trusted)), ['=', 0])
})

test('A55 a new password ends the trust in every browser', async () => {
  const victim = await protectedAccount(t, site)
  const trusted = await trust(victim, site)
  const password = 'Neu#2026pass'
  const changed = await victim.browser.call(changePassword, { password })
  expect(changed.status, changed.body).toBe(200)
  figure('browsers still trusted', Number(await isTrusted({ ...victim, password }, site, trusted)), ['=', 0])
})

test('A55 factors that are added anew find no trust of before', async () => {
  const victim = await protectedAccount(t, site)
  const trusted = await trust(victim, site)
  expect((await victim.browser.call(removeFactors)).status).toBe(200)
  await steppedUp(t, victim.browser)
  await addTotp(victim.browser)
  figure('browsers still trusted', Number(await isTrusted(victim, site, trusted)), ['=', 0])
})

test('A55 operators trust no browser, and no user does where the site says so', async () => {
  const operator = await protectedAccount(t, site)
  await grant(t.deps, site.id, operator.id, 'MERCHANT', ['READ'], 'attack')
  const strictUser = await protectedAccount(t, strict)
  const trusted = [
    await isTrusted(operator, site, await trust(operator, site)),
    await isTrusted(strictUser, strict, await trust(strictUser, strict)),
  ]
  figure('browsers that are trusted although none may be', trusted.filter(Boolean).length, ['=', 0])
})
