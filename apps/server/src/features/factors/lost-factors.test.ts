import { changePassword } from '@hufu/contract/account'
import { beginTotp, confirmTotp, factorState, loginByFactor } from '@hufu/contract/factors'
import { loginByPassword } from '@hufu/contract/login'
import { userInfo } from '@hufu/contract/profile'
import {
  cancelRecovery,
  finishFactorRecovery,
  finishRecovery,
  openRecovery,
  startRecovery,
  stopNoticedRecovery,
} from '@hufu/contract/recovery'
import { applyUndo, readUndo } from '@hufu/contract/undo'
import { Secret } from 'otpauth'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Member, member, password } from '../../../test/account-user.ts'
import { authenticatorOf, protect } from '../../../test/factors.ts'
import { checked, eventsOf, factored, newOperator } from '../../../test/operator.ts'
import { pass, provedTicket, wantedNumber } from '../../../test/recovering.ts'
import { startTestApp, type TestApp, type TestBrowser, type TestSite } from '../../../test/test-app.ts'
import type { UserId } from '../../platform/ids.ts'
import { grant } from '../users/users.service.ts'

let t: TestApp
let site: TestSite
beforeAll(async () => {
  t = await startTestApp()
})
beforeEach(async () => {
  site = await t.codeSite()
})
afterAll(() => t.close())

const mailsTo = async (email: string): Promise<{ subject: string; text: string }[]> =>
  (
    await t.deps.pool.query(
      "SELECT data FROM pgboss.job WHERE name = 'mail-notice' AND data->>'to' = $1 ORDER BY created_on, id",
      [email],
    )
  ).rows.map(({ data }) => data)

const another = 'Qy#2027winter'
const login = (browser: TestBrowser, { username }: Member, typed = password) =>
  browser.call(loginByPassword, { account: username, password: typed })

async function addTotp(browser: TestBrowser, id: string) {
  const { data } = await browser.call(beginTotp, {})
  const app = authenticatorOf(t.deps, id, Buffer.from(Secret.fromBase32(data?.secret ?? '').bytes))
  expect((await browser.call(confirmTotp, { totp: await app.code() })).status).toBe(200)
  return app
}

describe('undo', () => {
  const linkTo = async (email: string) =>
    (await mailsTo(email)).flatMap(({ text }) => /\/undo\/([\w-]{43})/.exec(text)?.[1] ?? [])[0] ?? ''

  async function undo(email: string, kind: string) {
    const browser = t.browser(site)
    const token = await linkTo(email)
    const { data } = await browser.call(readUndo, { token })
    const from = data?.changes.find((change) => change.kind === kind)?.id ?? ''
    const answer = await browser.call(applyUndo, { token, from, password, newPassword: another })
    expect([answer.status, answer.code]).toEqual([200, undefined])
    return browser
  }

  test('D137 a factor that a thief added is removed with its codes, and the owner signs in', async () => {
    const user = await member(t, site)
    await checked(t, user)
    await addTotp(user, user.id)
    expect((await login(t.browser(site), user)).code).toBe('FACTOR_REQUIRED')
    const browser = await undo(user.email, 'factorAdded')
    expect((await login(browser, user, another)).status).toBe(200)
    expect((await browser.call(factorState)).data).toMatchObject({ protected: false, totp: null, recovery: null })
    expect((await user.call(userInfo)).code).toBe('SESSION_REMOVED')
  })

  test('D137 undoing an earlier change removes the factor that was added after it', async () => {
    const user = await member(t, site)
    await checked(t, user)
    expect((await user.call(changePassword, { password: another })).status).toBe(200)
    await addTotp(user, user.id)
    const browser = await undo(user.email, 'password')
    expect((await login(browser, user, another)).status).toBe(200)
  })

  test('D137 a factor from before the change stays, and its trust ends', async () => {
    const user = await member(t, site)
    const app = await protect(t.deps, site.id, user.id as UserId)
    await factored(t, user)
    await t.deps.pool.query("UPDATE known_browser SET trusted_until = now() + interval '1 day' WHERE user_id = $1", [
      user.id,
    ])
    expect((await user.call(changePassword, { password: another })).status).toBe(200)
    const browser = await undo(user.email, 'password')
    const { code, details } = await login(browser, user, another)
    expect(code).toBe('FACTOR_REQUIRED')
    expect((await browser.call(loginByFactor, { ticket: details.ticket, totp: await app.code() })).status).toBe(200)
    expect((await browser.call(factorState)).data).toMatchObject({ protected: true, trusted: 0 })
  })
})

describe('recovery', () => {
  async function protectedMember(without = {}) {
    const user = await member(t, site, without)
    await protect(t.deps, site.id, user.id as UserId)
    return user
  }

  test('D138 password, mailed code and 72 hours remove lost factors; every session ends and contacts are notified', async () => {
    const user = await protectedMember()
    const browser = t.browser(site)
    const { ticket, standing } = await provedTicket(t, site, browser, user)
    expect(standing).toMatchObject({ stage: 'none', purpose: null, protected: true })
    expect((await browser.call(finishFactorRecovery, { ticket })).code).toBe('RECOVERY_NONE')
    expect((await browser.call(startRecovery, { ticket, purpose: 'factor' })).data).toMatchObject({
      stage: 'waiting',
      purpose: 'factor',
    })
    expect((await browser.call(finishFactorRecovery, { ticket })).code).toBe('RECOVERY_WAITING')
    expect((await mailsTo(user.email)).at(-1)?.subject).toBe('您的账号申请移除登录保护')
    const { rows } = await t.deps.pool.query(
      "SELECT data FROM pgboss.job WHERE name = 'sms-notice' AND data->>'mobile' = $1",
      [user.mobile],
    )
    expect(rows.map(({ data }) => data.event)).toEqual(['申请移除登录保护'])
    await pass(t, user.id, '72 hours')
    // It sets no number.
    expect((await browser.call(finishRecovery, { ...(await unwanted(ticket)) })).code).toBe('RECOVERY_NONE')
    expect((await browser.call(finishFactorRecovery, { ticket })).status).toBe(200)
    expect((await user.call(userInfo)).code).toBe('SESSION_REMOVED')
    expect((await login(t.browser(site), user)).status).toBe(200)
    expect((await browser.call(finishFactorRecovery, { ticket })).code).toBe('RECOVERY_EXPIRED')
    expect((await eventsOf(t, site, user.id)).map(({ event }) => event)).toContain('factor.recovered')
    expect((await mailsTo(user.email)).at(-1)?.subject).toBe('您的账号移除了登录保护')
  })

  const unwanted = async (ticket: string) => ({ ticket, mobilePrefix: '86', mobile: '13900000000', code: '123456' })

  test('D138 a recovery of the number removes no factor', async () => {
    const user = await protectedMember()
    const browser = t.browser(site)
    const { ticket } = await provedTicket(t, site, browser, user)
    await browser.call(startRecovery, { ticket })
    await pass(t, user.id, '72 hours')
    expect((await browser.call(finishFactorRecovery, { ticket })).code).toBe('RECOVERY_NONE')
    expect((await browser.call(finishRecovery, await wantedNumber(browser, ticket))).status).toBe(200)
    expect((await login(t.browser(site), user)).code).toBe('FACTOR_REQUIRED')
  })

  test('D138 the owner stops it, by the link or signed in with the factor, and not without', async () => {
    const user = await protectedMember()
    const browser = t.browser(site)
    const { ticket } = await provedTicket(t, site, browser, user)
    await browser.call(startRecovery, { ticket, purpose: 'factor' })
    expect(await user.call(cancelRecovery)).toMatchObject({ code: 'TWO_FACTOR_REQUIRED', details: { factor: true } })
    await factored(t, user)
    expect((await user.call(cancelRecovery)).status).toBe(200)
    expect((await mailsTo(user.email)).at(-1)?.subject).toBe('您的账号取消了移除登录保护的申请')
    await t.deps.pool.query("UPDATE receiver SET last_sent_at = now() - interval '1 hour'")
    const again = await provedTicket(t, site, browser, user)
    await browser.call(startRecovery, { ticket: again.ticket, purpose: 'factor' })
    const token = /\/recover\/stop\/([\w-]+)/.exec((await mailsTo(user.email)).at(-1)?.text ?? '')?.[1] ?? ''
    expect((await t.call(site, stopNoticedRecovery, { token })).status).toBe(200)
    await pass(t, user.id, '72 hours')
    expect((await browser.call(finishFactorRecovery, { ticket: again.ticket })).code).toBe('RECOVERY_EXPIRED')
  })

  test('D138 it needs no number, but password and address, and a protected account', async () => {
    const numberless = await protectedMember({ mobile: undefined })
    const browser = t.browser(site)
    const { ticket } = await provedTicket(t, site, browser, numberless)
    expect((await browser.call(startRecovery, { ticket })).code).toBe('RECOVERY_CONTACT')
    expect((await browser.call(startRecovery, { ticket, purpose: 'factor' })).data?.stage).toBe('waiting')
    const addressless = await protectedMember({ email: undefined })
    expect((await t.call(site, openRecovery, { account: addressless.username, password })).code).toBe(
      'RECOVERY_CONTACT',
    )
    const plain = await member(t, site)
    const unprotected = await provedTicket(t, site, browser, plain)
    expect((await browser.call(startRecovery, { ticket: unprotected.ticket, purpose: 'factor' })).code).toBe(
      'RECOVERY_CONTACT',
    )
  })

  test('D138 never of an operator, also of one who became one during the wait', async () => {
    const operator = await newOperator(t, site, ['READ'], { factor: true })
    const browser = t.browser(site)
    const { ticket } = await provedTicket(t, site, browser, operator)
    expect((await browser.call(startRecovery, { ticket, purpose: 'factor' })).code).toBe('RECOVERY_CONTACT')
    const user = await protectedMember()
    const proved = await provedTicket(t, site, browser, user)
    await browser.call(startRecovery, { ticket: proved.ticket, purpose: 'factor' })
    await pass(t, user.id, '72 hours')
    await grant(t.deps, site.id, user.id as UserId, 'MERCHANT', ['READ'], 'test')
    expect((await browser.call(finishFactorRecovery, { ticket: proved.ticket })).code).toBe('RECOVERY_CONTACT')
    expect((await login(t.browser(site), user)).code).toBe('FACTOR_REQUIRED')
  })
})
