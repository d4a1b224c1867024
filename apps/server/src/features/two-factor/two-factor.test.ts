import { changeMobile, changePassword, changeUsername } from '@hufu/contract/account'
import { logout } from '@hufu/contract/login'
import { userInfo } from '@hufu/contract/profile'
import {
  sendTwoFactorEmailCode,
  sendTwoFactorMobileCode,
  twoFactorState,
  verifyTwoFactor,
} from '@hufu/contract/two-factor'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { member, newMobile, password, signInAgain, stepUp } from '../../../test/account-user.ts'
import { held, lockedOut } from '../../../test/race.ts'
import {
  codeTo,
  fresh,
  messagesTo,
  sessionOf,
  startTestApp,
  type TestApp,
  type TestSite,
  wrongCode,
} from '../../../test/test-app.ts'

let t: TestApp
let site: TestSite
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite()
})
afterAll(() => t.close())

const rewind = (column: 'two_factor_at' | 'former_until', session: string, interval: string) =>
  t.deps.pool.query(`UPDATE session SET ${column} = ${column} - $1::interval WHERE id = $2`, [interval, session])

test('S383 S384 S197 a code sent to the user’s own number completes the step-up of the session', async () => {
  const user = await member(t, site)
  expect((await user.call(twoFactorState)).data).toEqual({ twoFactor: false, way: 'mobile', second: [], factors: [] })
  expect((await user.call(sendTwoFactorMobileCode)).data).toEqual({ retryAfter: 60 })
  const [message] = await messagesTo(user.mobile)
  expect(message).toMatchObject({ channel: 'sms' })
  expect((await user.call(userInfo)).data?.twoFactor).toBe(false)
  expect((await user.call(verifyTwoFactor, { code: await codeTo(user.mobile) })).status).toBe(200)
  expect((await user.call(userInfo)).data?.twoFactor).toBe(true)
  expect((await user.call(twoFactorState)).data?.twoFactor).toBe(true)
})

test('D037 the check counts in this session only, for ten minutes by the database, and no longer than that from the cache', async () => {
  const user = await member(t, site)
  const other = await signInAgain(t, site, user)
  await stepUp(t, site, user, user.mobile)
  expect((await other.call(userInfo)).data?.twoFactor).toBe(false)
  expect(await other.call(changeUsername, { username: fresh.username() })).toMatchObject({
    status: 403,
    code: 'TWO_FACTOR_REQUIRED',
  })
  await rewind('two_factor_at', sessionOf(user), '9 minutes 56 seconds')
  expect((await user.call(userInfo)).data?.twoFactor).toBe(true)
  const over = async () =>
    (
      await t.deps.pool.query(
        "SELECT two_factor_at < now() - interval '10 minutes' AS over FROM session WHERE id = $1",
        [sessionOf(user)],
      )
    ).rows[0].over
  await expect.poll(over, { timeout: 20_000 }).toBe(true)
  expect((await user.call(userInfo)).data?.twoFactor).toBe(false)
  expect((await user.call(changeUsername, { username: fresh.username() })).code).toBe('TWO_FACTOR_REQUIRED')
})

test('a copy of the session in the cache ends with the step-up that it holds', async () => {
  const user = await member(t, site)
  await stepUp(t, site, user, user.mobile)
  await rewind('two_factor_at', sessionOf(user), '9 minutes 40 seconds')
  const key = `{${site.id}:${user.id}}:s2:${sessionOf(user)}`
  // For a minute after the step-up the cache takes no copy (tombstone).
  await t.deps.cache.del(key)
  expect((await user.call(userInfo)).data?.twoFactor).toBe(true)
  await expect.poll(() => t.deps.cache.pttl(key)).toBeGreaterThan(0)
  expect(await t.deps.cache.pttl(key)).toBeLessThanOrEqual(20_000)
})

test('a wrong code is refused, five of them use the code up, and the right one is of no use then', async () => {
  const user = await member(t, site)
  await user.call(sendTwoFactorMobileCode)
  const code = await codeTo(user.mobile)
  for (let tried = 0; tried < 5; tried++)
    expect((await user.call(verifyTwoFactor, { code: wrongCode(code) })).code).toBe('CODE_WRONG')
  expect((await user.call(verifyTwoFactor, { code })).code).toBe('CODE_TRIES_EXCEEDED')
  expect((await user.call(userInfo)).data?.twoFactor).toBe(false)
})

test('a code counts in the session that asked for it, and asking from another one makes a new code', async () => {
  const user = await member(t, site)
  const other = await signInAgain(t, site, user)
  await user.call(sendTwoFactorMobileCode)
  const code = await codeTo(user.mobile)
  expect((await other.call(verifyTwoFactor, { code })).code).toBe('CODE_WRONG')
  await t.passMinute(site, `+86${user.mobile}`)
  await other.call(sendTwoFactorMobileCode)
  const newer = await codeTo(user.mobile)
  expect((await user.call(verifyTwoFactor, { code: newer })).code).toBe('CODE_WRONG')
  expect((await other.call(verifyTwoFactor, { code: newer })).status).toBe(200)
})

test('the check renews the secret; the former one works for 30 seconds more, then never', async () => {
  const user = await member(t, site)
  const tab = t.browser(site)
  for (const [name, value] of user.cookies) tab.cookies.set(name, value)
  await stepUp(t, site, user, user.mobile)
  expect(user.cookies.get('__Host-hufu')).not.toBe(tab.cookies.get('__Host-hufu'))
  expect((await tab.call(userInfo)).status).toBe(200)
  await rewind('former_until', sessionOf(user), '30 seconds')
  expect((await tab.call(userInfo)).code).toBe('NOT_LOGGED_IN')
  expect((await user.call(userInfo)).status).toBe(200)
})

test('D058 without a mobile the check goes by e-mail', async () => {
  const user = await member(t, site, { mobile: undefined })
  expect((await user.call(twoFactorState)).data?.way).toBe('email')
  expect((await user.call(sendTwoFactorMobileCode)).code).toBe('INPUT_INVALID')
  await user.call(sendTwoFactorEmailCode)
  expect((await user.call(verifyTwoFactor, { code: await codeTo(user.email) })).status).toBe(200)
  expect((await user.call(userInfo)).data?.twoFactor).toBe(true)
})

test('D058 without a mobile and an e-mail the check goes by password', async () => {
  const user = await member(t, site, { mobile: undefined, email: undefined })
  expect((await user.call(twoFactorState)).data?.way).toBe('password')
  expect((await user.call(verifyTwoFactor, { password: 'Wrong#2026x' })).code).toBe('PASSWORD_WRONG')
  expect((await user.call(verifyTwoFactor, { password })).status).toBe(200)
  expect((await user.call(userInfo)).data?.twoFactor).toBe(true)
})

test('a kind of proof that the page does not offer never completes the check', async () => {
  const user = await member(t, site)
  expect((await user.call(verifyTwoFactor, { password })).status).toBe(200)
  expect((await user.call(userInfo)).data?.twoFactor).toBe(false)
  await user.call(sendTwoFactorEmailCode)
  expect((await user.call(verifyTwoFactor, { code: await codeTo(user.email), way: 'email' })).status).toBe(200)
  expect((await user.call(userInfo)).data?.twoFactor).toBe(false)
})

test('passwords of the step-up are counted: over the limit proof of work is demanded, over twice the limit all wait', async () => {
  const strict = await t.codeSite({ limits: { passwordFailures: 2 } })
  const user = await member(t, strict, { mobile: undefined, email: undefined })
  const codes = []
  for (let tried = 0; tried < 5; tried++)
    codes.push((await user.call(verifyTwoFactor, { password: 'Wrong#2026x' })).code)
  expect(codes).toEqual(['PASSWORD_WRONG', 'PASSWORD_WRONG', 'PROOF_REQUIRED', 'PROOF_REQUIRED', 'LOGIN_PAUSED'])
})

test('a step-up by a password that is changed meanwhile keeps no session alive', async () => {
  const user = await member(t, site, { mobile: undefined, email: undefined })
  const other = await signInAgain(t, site, user)
  expect((await user.call(verifyTwoFactor, { password })).status).toBe(200)
  const thief = t.browser(site)
  for (const [name, value] of user.cookies) thief.cookies.set(name, value)
  const ofSession = 'SELECT FROM session WHERE id = $1 FOR UPDATE'
  const [changed, checked] = await held(t, ofSession, [sessionOf(other)], async (holder) => {
    const changed = user.call(changePassword, { password: 'Another#2026a' })
    await lockedOut(holder, 1)
    const checked = thief.call(verifyTwoFactor, { password })
    await lockedOut(holder, 2)
    return [changed, checked] as const
  })
  expect((await changed).status).toBe(200)
  expect((await checked).code).toBe('PASSWORD_WRONG')
  expect((await thief.call(userInfo)).status).toBe(401)
  expect((await user.call(userInfo)).status).toBe(200)
})

test('D073 in a browser first seen within 72 hours a texted code alone does not change the number', async () => {
  const user = await member(t, site)
  const browser = await t.signIn(site, { mobile: user.mobile })
  await stepUp(t, site, browser, user.mobile)
  expect((await browser.call(twoFactorState)).data).toEqual({
    twoFactor: true,
    way: 'mobile',
    second: ['password', 'email'],
    factors: [],
  })
  const wanted = await newMobile(browser)
  expect(await browser.call(changeMobile, wanted)).toMatchObject({
    code: 'TWO_FACTOR_REQUIRED',
    details: { second: ['password', 'email'] },
  })
  expect((await browser.call(verifyTwoFactor, { password })).status).toBe(200)
  expect((await browser.call(twoFactorState)).data?.second).toEqual([])
  expect((await browser.call(changeMobile, wanted)).status).toBe(200)
})

test('D073 an account with nothing else, and a browser known for longer, owe nothing', async () => {
  const plain = await t.signIn(site)
  expect((await plain.call(twoFactorState)).data?.second).toEqual([])
  const user = await member(t, site)
  const browser = await t.signIn(site, { mobile: user.mobile })
  await t.deps.pool.query("UPDATE known_browser SET first_seen = now() - interval '73 hours' WHERE user_id = $1", [
    user.id,
  ])
  expect((await browser.call(twoFactorState)).data?.second).toEqual([])
})

test('a session that has ended is not revived by a check', async () => {
  const user = await member(t, site)
  await user.call(sendTwoFactorMobileCode)
  const code = await codeTo(user.mobile)
  const before = new Map(user.cookies)
  await user.call(logout)
  for (const [name, value] of before) user.cookies.set(name, value)
  expect((await user.call(verifyTwoFactor, { code })).status).toBe(401)
})
