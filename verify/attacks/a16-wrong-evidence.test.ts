import { changePassword } from '@hufu/contract/account'
import { loginByPassword } from '@hufu/contract/login'
import { exportData } from '@hufu/contract/personal-data'
import { userInfo } from '@hufu/contract/profile'
import { finishRecovery, proveRecovery, sendRecoveryEmailCode, startRecovery } from '@hufu/contract/recovery'
import { sendTwoFactorEmailCode, verifyTwoFactor } from '@hufu/contract/two-factor'
import { sendEmailCode, sendMobileCode } from '@hufu/contract/verify-code'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mailedCode, openTicket, provedTicket, readyTicket, wantedNumber } from '../../apps/server/test/recovering.ts'
import { codeTo, sessionOf, type TestSite } from '../../apps/server/test/test-app.ts'
import { newWechat } from '../../apps/server/test/wechat-phone.ts'
import { figure } from '../harness/assert-figure.ts'
import { askCode, type Browser, type Harness, number, openHarness } from '../harness/harness.ts'
import { comeBack, setOut, throughWechat, wechatAction } from './by-wechat.ts'
import { askCheckCode, passCheck } from './checks.ts'

let t: Harness
let site: TestSite
let elsewhere: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
  elsewhere = await t.codeSite()
})
afterAll(() => t.close())

const checked = async (browser: Browser) => (await browser.call(userInfo)).data?.twoFactor

/** Proofs that were tried in a step-up, and how many of them completed one. */
const tried = { pieces: 0, passed: 0 }

async function refused(browser: Browser, code: string) {
  const { status } = await browser.call(verifyTwoFactor, { code })
  tried.pieces++
  if ((await checked(browser)) !== false) tried.passed++
  expect(status).toBe(400)
}

test("A16 a code that another session of the same user asked for isn't taken", async () => {
  const user = await t.user(site)
  const [one, two] = [await t.session(site, user.id), await t.session(site, user.id)]
  await refused(two, await askCheckCode(t, site, one, user.mobile))
})

test("A16 another user's code isn't taken", async () => {
  const [mine, theirs] = [await t.user(site), await t.user(site)]
  const browser = await t.session(site, mine.id)
  const other = await t.session(site, theirs.id)
  await askCheckCode(t, site, browser, mine.mobile)
  const foreign = await askCheckCode(t, site, other, theirs.mobile)
  if (foreign !== (await codeTo(mine.mobile))) await refused(browser, foreign)
})

test("A16 another site's code of the same number isn't taken", async () => {
  const here = await t.user(site)
  const there = await t.user(elsewhere, { mobile: here.mobile })
  const browser = await t.session(site, here.id)
  const other = await t.session(elsewhere, there.id)
  const own = await askCheckCode(t, site, browser, here.mobile)
  const foreign = await askCheckCode(t, elsewhere, other, here.mobile)
  if (foreign !== own) await refused(browser, foreign)
})

test('A16 a code for another purpose is not taken', async () => {
  const user = await t.user(site)
  const browser = await t.session(site, user.id)
  await refused(browser, await askCode(t.browser(site), user.mobile))
  await t.passMinute(site, `+86${user.mobile}`)
  await browser.call(sendMobileCode, number(user.mobile))
  await refused(browser, await codeTo(user.mobile))
  await browser.call(sendEmailCode, { email: user.email, type: 'authorize' })
  await refused(browser, await codeTo(user.email))
})

test('A16 a kind of proof that this account does not use never completes the step-up', async () => {
  const user = await t.user(site)
  const browser = await t.session(site, user.id)
  await browser.call(verifyTwoFactor, { password: user.password })
  expect(await checked(browser)).toBe(false)
  await browser.call(sendTwoFactorEmailCode)
  await browser.call(verifyTwoFactor, { code: await codeTo(user.email), way: 'email' })
  expect(await checked(browser)).toBe(false)
})

test('A16 a browser that needs a second identity proof cannot set a password to use as one', async () => {
  const user = await t.user(site, { email: undefined })
  const browser = await t.signIn(site, { mobile: user.mobile })
  await passCheck(t, site, browser, user.mobile)
  const password = 'Neu#2026pass'
  expect((await browser.call(changePassword, { password })).code).toBe('TWO_FACTOR_REQUIRED')
  expect((await browser.call(verifyTwoFactor, { password })).code).toBe('PASSWORD_WRONG')
  expect((await browser.call(exportData)).code).toBe('TWO_FACTOR_REQUIRED')
  const signIn = await t.browser(site).call(loginByPassword, { account: user.username, password })
  expect(signIn.code).toBe('LOGIN_FAILED')
})

test("A16 another user's WeChat proves nothing, and the own one counts only in the session that started", async () => {
  const own = await t.codeSite({ wechat: await newWechat() })
  const user = await t.user(own)
  const [browser, second] = [await t.session(own, user.id), await t.session(own, user.id)]
  await throughWechat(browser, await wechatAction(browser, 'binding'), 'chen')
  // As if it had been bound for long.
  await t.deps.pool.query('UPDATE users SET wechat_fresh_until = NULL WHERE id = $1', [user.id])
  const provedBy = async (session: Browser) => {
    const query = 'SELECT FROM session WHERE id = $1 AND (second_at IS NOT NULL OR two_factor_at IS NOT NULL)'
    return (await t.deps.pool.query(query, [sessionOf(session)])).rows.length
  }
  await throughWechat(browser, await wechatAction(browser, 'check'), 'lin')
  const stolen = await setOut(second, await wechatAction(second, 'check'), 'chen')
  await comeBack(browser, stolen)
  const proved = (await provedBy(browser)) + (await provedBy(second))
  figure('step-ups by the WeChat of others or the redirect of another session', proved, ['=', 0])
  await throughWechat(second, await wechatAction(second, 'check'), 'chen')
  expect(await provedBy(second), 'the own one does').toBe(1)
})

test('A16 the cookie of a session with step-up identifies no user on another site', async () => {
  const user = await t.user(elsewhere)
  const browser = await t.session(elsewhere, user.id)
  await passCheck(t, elsewhere, browser, user.mobile)
  const stray = t.browser(site)
  for (const [name, value] of browser.cookies) stray.cookies.set(name, value)
  expect((await stray.call(userInfo)).code).toBe('NOT_LOGGED_IN')
  figure(`of ${tried.pieces} codes of another session, user, site or purpose completed a step-up`, tried.passed, [
    '=',
    0,
  ])
})

test("A16 a recovery isn't proved by the code of another ticket, account, site or purpose", async () => {
  const [mine, theirs] = [await t.user(site), await t.user(site)]
  const abroad = await t.user(elsewhere, { email: mine.email })
  const [browser, other, stray] = [t.browser(site), t.browser(site), t.browser(elsewhere)]
  const ticket = await openTicket(browser, mine.username)
  const sameAccount = await openTicket(other, mine.username)
  const codes = [
    await mailedCode(t, site, other, sameAccount, mine.email),
    await mailedCode(t, site, other, await openTicket(other, theirs.username), theirs.email),
    await mailedCode(t, elsewhere, stray, await openTicket(stray, abroad.username), mine.email),
  ]
  const session = await t.session(site, mine.id)
  await t.passMinute(site, mine.email)
  await session.call(sendTwoFactorEmailCode)
  codes.push(await codeTo(mine.email))
  for (const code of codes) expect((await browser.call(proveRecovery, { ticket, code })).code).toBe('CODE_WRONG')
  await t.passMinute(site, mine.email)
  expect((await browser.call(sendRecoveryEmailCode, { ticket })).status).toBe(200)
  const own = await codeTo(mine.email)
  if (!codes.includes(own)) expect((await browser.call(proveRecovery, { ticket, code: own })).status).toBe(200)
})

test("A16 a recovery isn't ended by another account's ticket, another site's or another browser's", async () => {
  const [mine, theirs] = [await t.user(site), await t.user(site)]
  const [browser, other] = [t.browser(site), t.browser(site)]
  const wanted = await wantedNumber(browser, await readyTicket(t, site, browser, mine))
  // In the same browser, proved by both proofs of its own account, which has waited for nothing.
  const foreign = (await provedTicket(t, site, browser, theirs)).ticket
  expect((await browser.call(finishRecovery, { ...wanted, ticket: foreign })).code).toBe('RECOVERY_NONE')
  // Waited as long, but the code was asked for by the first.
  await readyTicket(t, site, other, theirs)
  expect((await browser.call(finishRecovery, { ...wanted, ticket: foreign })).code).toBe('CODE_WRONG')
  expect((await other.call(finishRecovery, wanted)).code).toBe('RECOVERY_EXPIRED')
  const stray = t.browser(elsewhere)
  for (const [name, value] of browser.cookies) stray.cookies.set(name, value)
  expect((await stray.call(finishRecovery, wanted)).code).toBe('RECOVERY_EXPIRED')
  expect((await stray.call(startRecovery, { ticket: wanted.ticket })).code).toBe('RECOVERY_EXPIRED')
  const { rows } = await t.deps.pool.query('SELECT mobile FROM users WHERE id = ANY($1) ORDER BY id', [
    [mine.id, theirs.id],
  ])
  const ended = rows.filter(({ mobile }) => ![mine.mobile, theirs.mobile].includes(mobile)).length
  expect((await browser.call(finishRecovery, wanted)).status).toBe(200)
  figure('recoveries ended by the evidence of others', ended, ['=', 0])
})
