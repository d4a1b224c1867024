import { randomBytes } from 'node:crypto'
import { changePassword } from '@hufu/contract/account'
import { removeDevice, removeOtherDevices } from '@hufu/contract/devices'
import {
  beginPasskey,
  beginTotp,
  confirmTotp,
  factorState,
  forgetTrusted,
  loginByFactor,
  removeFactors,
  removeTotp,
  renewRecoveryCodes,
} from '@hufu/contract/factors'
import { loginByMobile, loginByPassword } from '@hufu/contract/login'
import { userInfo } from '@hufu/contract/profile'
import type { SiteConfig } from '@hufu/contract/site'
import {
  sendTwoFactorEmailCode,
  sendTwoFactorMobileCode,
  twoFactorState,
  verifyTwoFactor,
} from '@hufu/contract/two-factor'
import { sendMobileCode } from '@hufu/contract/verify-code'
import { Secret } from 'otpauth'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Member, member, password, stepUp } from '../../../test/account-user.ts'
import { type Authenticator, authenticatorOf, protect } from '../../../test/factors.ts'
import { checked, eventsOf, factored, newOperator, second } from '../../../test/operator.ts'
import {
  codeTo,
  fresh,
  sessionOf,
  startTestApp,
  type TestApp,
  type TestBrowser,
  type TestSite,
  times,
} from '../../../test/test-app.ts'
import { stepAt, totpAt } from '../../platform/crypto/totp.ts'
import type { UserId } from '../../platform/ids.ts'
import { readConfig, saveConfig } from '../site/site.service.ts'
import { createUser, grant } from '../users/users.service.ts'
import { newEnrolment } from './enrolment.ts'
import { proveFactor, spendFactor } from './prove-factor.ts'
import { rotateFactors } from './rotate-factors.service.ts'

let t: TestApp
let site: TestSite
beforeAll(async () => {
  t = await startTestApp()
})
// Of its own for each test: calls are limited by site and address.
beforeEach(async () => {
  site = await t.codeSite({ name: '青屿生活' })
})
afterAll(() => t.close())

interface Enrolled extends Member {
  app: Authenticator
  codes: string[]
}

/** A member who adds an authenticator through the public calls. */
async function enrolled(at = site): Promise<Enrolled> {
  const user = await member(t, at)
  await checked(t, user)
  const { app, recoveryCodes } = await addTotp(user, user.id)
  return { ...user, app, codes: recoveryCodes ?? [] }
}

async function addTotp(browser: TestBrowser, id: string, enrolment?: string) {
  const { data, code } = await browser.call(beginTotp, { enrolment })
  if (!data) throw new Error(`not begun: ${code}`)
  const app = authenticatorOf(t.deps, id, Buffer.from(Secret.fromBase32(data.secret).bytes))
  const answer = await browser.call(confirmTotp, { totp: await app.code(), enrolment })
  if (!answer.data) throw new Error(`not confirmed: ${answer.code}`)
  return { app, uri: data.uri, ...answer.data }
}

async function firstStep({ username }: Member, browser = t.browser(site)) {
  const { details } = await browser.call(loginByPassword, { account: username, password })
  return { browser, ticket: details?.ticket as string, details }
}

const flagOf = async (id: string): Promise<boolean> =>
  (await t.deps.pool.query('SELECT protected FROM users WHERE id = $1', [id])).rows[0].protected

const noticesTo = async (email: string): Promise<string[]> =>
  (
    await t.deps.pool.query(
      "SELECT data->>'subject' AS subject FROM pgboss.job WHERE name = 'mail-notice' AND data->>'to' = $1 ORDER BY created_on",
      [email],
    )
  ).rows.map(({ subject }) => subject)

describe('adding and removing', () => {
  test.each([
    ['known', '10 days', 1],
    ['new', '1 day', 2],
  ])('D137 the first factor ends the sessions that began without; in a %s browser', async (_kind, age, left) => {
    const user = await member(t, site)
    await checked(t, user)
    const other = t.browser(site)
    expect((await other.call(loginByPassword, { account: user.username, password })).status).toBe(200)
    await t.deps.pool.query('UPDATE known_browser SET first_seen = first_seen - $2::interval WHERE user_id = $1', [
      user.id,
      age,
    ])
    await addTotp(user, user.id)
    expect((await other.call(userInfo)).code).toBe('SESSION_REMOVED')
    expect((await user.call(userInfo)).status).toBe(200)
    const browsers = await t.deps.pool.query('SELECT FROM known_browser WHERE user_id = $1', [user.id])
    expect(browsers.rows).toHaveLength(left)
  })

  test('D137 an authenticator is added by a code of it, with ten recovery codes, recorded and announced', async () => {
    const user = await member(t, site)
    await checked(t, user)
    const { app, uri, recoveryCodes } = await addTotp(user, user.id)
    expect(new URL(uri).searchParams.get('issuer')).toBe('青屿生活')
    expect(recoveryCodes).toHaveLength(10)
    for (const code of recoveryCodes ?? []) expect(code).toMatch(/^([A-HJKMNP-TV-Z2-9]{4}-){2}[A-HJKMNP-TV-Z2-9]{4}$/)
    expect((await user.call(userInfo)).data).toMatchObject({ protected: true, twoFactor: true })
    expect((await user.call(factorState)).data).toMatchObject({
      protected: true,
      passkeys: [],
      totp: { lastUsed: null },
      recovery: { left: 10 },
      trust: true,
      operator: false,
      recoverable: true,
      enrolment: false,
      otherWay: true,
    })
    expect((await eventsOf(t, site, user.id)).map(({ event }) => event)).toContain('factor.totpAdded')
    expect(await noticesTo(user.email)).toContain('您的账号添加了登录保护的验证方式')
    expect((await user.call(beginTotp, {})).code).toBe('TOTP_EXISTS')
    expect((await user.call(confirmTotp, { totp: await app.code() })).code).toBe('TOTP_EXISTS')
  })

  test('D137 a secret that was never confirmed protects nothing', async () => {
    const user = await member(t, site)
    await checked(t, user)
    await user.call(beginTotp, {})
    expect((await user.call(confirmTotp, { totp: '000000' })).code).toBe('FACTOR_WRONG')
    expect([await flagOf(user.id), (await user.call(factorState)).data?.totp]).toEqual([false, null])
    expect((await firstStep(user)).details).toBeUndefined()
    await t.deps.pool.query("UPDATE totp SET created_at = now() - interval '61 minutes' WHERE user_id = $1", [user.id])
    expect((await user.call(confirmTotp, { totp: '000000' })).code).toBe('FACTOR_EXPIRED')
  })

  test('D137 enrolling needs a step-up, from a new browser a second kind of proof, and an authenticator another way in', async () => {
    const user = await member(t, site)
    expect((await user.call(beginTotp, {})).code).toBe('TWO_FACTOR_REQUIRED')
    const browser = t.browser(site)
    await browser.call(sendMobileCode, { mobilePrefix: '86', mobile: user.mobile })
    await browser.call(loginByMobile, { mobilePrefix: '86', mobile: user.mobile, code: await codeTo(user.mobile) })
    await stepUp(t, site, browser, user.mobile)
    expect(await browser.call(beginTotp, {})).toMatchObject({
      code: 'TWO_FACTOR_REQUIRED',
      details: { second: ['password', 'email'] },
    })
    const numberOnly = await t.signIn(site)
    await checked(t, numberOnly)
    expect((await numberOnly.call(beginTotp, {})).code).toBe('FACTOR_NEEDS_WAY')
    expect((await numberOnly.call(factorState)).data?.otherWay).toBe(false)
  })

  test('D137 a thief of the number alone enrols no factor within 72 hours, also after setting a password', async () => {
    const thief = await t.signIn(site)
    await checked(t, thief)
    await t.deps.pool.query("UPDATE users SET listed_at = now() - interval '1 year' WHERE id = $1", [thief.id])
    expect((await thief.call(beginTotp, {})).code).toBe('SECOND_TOO_FRESH')
    expect((await thief.call(changePassword, { password })).status).toBe(200)
    await second(t, thief)
    const refused = await thief.call(beginTotp, {})
    expect(refused.code).toBe('SECOND_TOO_FRESH')
    expect(refused.details.until).toBeGreaterThan(Date.now() + 71 * 3_600_000)
    expect((await thief.call(beginPasskey, {})).code).toBe('SECOND_TOO_FRESH')
    // The owner's browser is known for longer.
    await t.deps.pool.query("UPDATE known_browser SET first_seen = now() - interval '73 hours' WHERE user_id = $1", [
      thief.id,
    ])
    await addTotp(thief, thief.id)
    expect(await flagOf(thief.id)).toBe(true)
  })

  test('D137 with the last factor go the codes, the trust and the flag', async () => {
    const user = await enrolled()
    const { browser, ticket } = await firstStep(user)
    await browser.call(loginByFactor, { ticket, totp: await user.app.code(), trust: true })
    const waiting = await firstStep(user)
    expect((await user.call(removeTotp)).status).toBe(200)
    expect((await user.call(factorState)).data).toMatchObject({
      protected: false,
      totp: null,
      recovery: null,
      trusted: 0,
    })
    expect([await flagOf(user.id), (await firstStep(user)).details]).toEqual([false, undefined])
    const again = await waiting.browser.call(loginByFactor, { ticket: waiting.ticket, recovery: user.codes[0] })
    expect(again.code).toBe('FACTOR_EXPIRED')
    expect((await eventsOf(t, site, user.id)).map(({ event }) => event)).toContain('factor.totpRemoved')
    expect(await noticesTo(user.email)).toContain('您的账号移除了登录保护的验证方式')
    expect((await user.call(removeTotp)).code).toBe('FACTOR_NONE')
  })

  test('D137 an operator can neither remove the last factor nor switch the protection off', async () => {
    const operator = await newOperator(t, site, ['READ'], { factor: true })
    for (const call of [removeTotp, removeFactors]) {
      expect((await operator.call(call)).code).toBe('FACTOR_LAST')
      expect(await flagOf(operator.id)).toBe(true)
    }
    const customer = await enrolled()
    expect((await customer.call(removeFactors)).status).toBe(200)
    expect(await flagOf(customer.id)).toBe(false)
  })
})

describe('codes', () => {
  test('D132 of 50 uses of one code at once one is accepted, and none after it', async () => {
    const user = await enrolled()
    const waiting = await Promise.all(times(10, () => firstStep(user)))
    const totp = await user.app.code()
    const replies = await Promise.all(
      times(50, (index) => {
        const { browser, ticket } = waiting[index % 10] ?? waiting[0] ?? fail()
        return browser.call(loginByFactor, { ticket, totp })
      }),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    await forgetTries(user)
    const { browser, ticket } = await firstStep(user)
    expect((await browser.call(loginByFactor, { ticket, totp })).code).toBe('FACTOR_WRONG')
    // Of the step before it neither.
    const former = totpAt(user.app.secret, stepAt(t.deps.clock.now()) - 1)
    expect((await browser.call(loginByFactor, { ticket, totp: former })).code).toBe('FACTOR_WRONG')
  })

  test('D133 a recovery code counts once, however it is typed: of 50 uses at once one', async () => {
    const user = await enrolled()
    const waiting = await Promise.all(times(10, () => firstStep(user)))
    const [code = '', another = ''] = user.codes
    const replies = await Promise.all(
      times(50, (index) => {
        const { browser, ticket } = waiting[index % 10] ?? fail()
        return browser.call(loginByFactor, {
          ticket,
          recovery: index % 2 ? code : code.toLowerCase().replaceAll('-', ' '),
        })
      }),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    await forgetTries(user)
    const { browser, ticket } = await firstStep(user)
    expect((await browser.call(loginByFactor, { ticket, recovery: code })).code).toBe('FACTOR_WRONG')
    expect((await browser.call(loginByFactor, { ticket, recovery: another })).status).toBe(200)
    expect((await user.call(factorState)).data?.recovery?.left).toBe(8)
    expect((await eventsOf(t, site, user.id)).filter(({ event }) => event === 'factor.codeUsed')).toHaveLength(2)
  })

  test.each(['totp', 'recovery'] as const)('D132 D133 of 50 transactions that spend one %s one does', async (way) => {
    const user = await enrolled()
    const use = { purpose: 'login' as const, holder: user.id }
    const prover = { userId: user.id as UserId, known: true, address: '192.0.2.1', use }
    const given = way === 'totp' ? { totp: await user.app.code() } : { recovery: user.codes[0] }
    const at = t.deps.sites.get(site.id) ?? fail()
    const right = await proveFactor(t.deps, at, prover, given)
    const spend = () => t.deps.db.transaction().execute((tx) => spendFactor(tx, t.deps, at, prover, right))
    const outcomes = await Promise.allSettled(times(50, spend))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('D133 new recovery codes void the former ones, need the factor and are announced', async () => {
    const user = await enrolled()
    const { data } = await user.call(renewRecoveryCodes)
    expect(data?.recoveryCodes).toHaveLength(10)
    expect(await noticesTo(user.email)).toContain('您的账号更换了恢复码')
    const { browser, ticket } = await firstStep(user)
    expect((await browser.call(loginByFactor, { ticket, recovery: user.codes[1] })).code).toBe('FACTOR_WRONG')
    expect((await browser.call(loginByFactor, { ticket, recovery: data?.recoveryCodes[0] })).status).toBe(200)
    const plain = await member(t, site)
    await checked(t, plain)
    expect((await plain.call(renewRecoveryCodes)).code).toBe('FACTOR_NONE')
  })

  test('D341 the use of a recovery code is announced to number and address', async () => {
    const user = await enrolled()
    const { browser, ticket } = await firstStep(user)
    expect((await browser.call(loginByFactor, { ticket, totp: await user.app.code() })).status).toBe(200)
    const again = await firstStep(user)
    const used = { ticket: again.ticket, recovery: user.codes[0] }
    expect((await again.browser.call(loginByFactor, used)).status).toBe(200)
    expect((await noticesTo(user.email)).filter((text) => text.includes('恢复码'))).toEqual([
      '您的账号使用恢复码完成了身份验证',
    ])
  })

  test('D133 neither codes nor secrets are stored in the clear', async () => {
    const user = await enrolled()
    const { rows } = await t.deps.pool.query(
      `SELECT sealed FROM recovery_code WHERE user_id = $1 UNION ALL SELECT sealed FROM totp WHERE user_id = $1`,
      [user.id],
    )
    expect(rows).toHaveLength(11)
    for (const { sealed } of rows) expect(sealed).toMatch(/^sealed:1:/)
  })
})

const fail = (): never => {
  throw new Error('not made')
}

const forgetTries = ({ id }: { id: string }) => t.deps.pool.query('DELETE FROM factor_tries WHERE user_id = $1', [id])

test('D132 D133 authenticators and recovery codes outlive a rotation of keys', async () => {
  const user = await enrolled()
  const { byId } = t.deps.config.keys
  const keys = { current: '2', byId: new Map([['2', randomBytes(32)], ...byId]) }
  const rotated = { ...t.deps, config: { ...t.deps.config, keys } }
  expect(await rotateFactors(rotated)).toBeGreaterThanOrEqual(11)
  expect(await rotateFactors(rotated)).toBe(0)
  const without = { ...keys, byId: new Map([...keys.byId].filter(([id]) => id === '2')) }
  const later = { ...t.deps, config: { ...t.deps.config, keys: without } }
  const at = t.deps.sites.get(site.id) ?? fail()
  const use = { purpose: 'login' as const, holder: user.id }
  const prover = { userId: user.id as UserId, known: true, address: '192.0.2.1', use }
  expect(await proveFactor(later, at, prover, { totp: await user.app.code() })).toMatchObject({ way: 'totp' })
  expect(await proveFactor(later, at, prover, { recovery: user.codes[3] })).toMatchObject({ way: 'recovery' })
  // Back, for the tests after this one.
  await rotateFactors({ ...t.deps, config: { ...t.deps.config, keys: { ...keys, current: '1' } } })
})

describe('guesses', () => {
  test('D134 of 40 guesses at once five are compared; the right code waits with the others', async () => {
    const user = await enrolled()
    const waiting = await Promise.all(times(8, () => firstStep(user)))
    const replies = await Promise.all(
      times(40, (index) => {
        const { browser, ticket } = waiting[index % 8] ?? fail()
        return browser.call(loginByFactor, { ticket, totp: user.app.wrong() })
      }),
    )
    expect(replies.filter(({ code }) => code === 'FACTOR_WRONG')).toHaveLength(5)
    const paused = replies.filter(({ code }) => code === 'FACTOR_PAUSED')
    expect(paused).toHaveLength(35)
    for (const { details } of paused) {
      expect(details.retryAfter).toBeGreaterThan(0)
      expect(details.retryAfter).toBeLessThanOrEqual(600)
    }
    const { browser, ticket } = await firstStep(user)
    expect((await browser.call(loginByFactor, { ticket, totp: await user.app.code() })).code).toBe('FACTOR_PAUSED')
    await t.deps.pool.query("UPDATE factor_tries SET since = since - interval '10 minutes' WHERE user_id = $1", [
      user.id,
    ])
    expect((await browser.call(loginByFactor, { ticket, totp: await user.app.code() })).status).toBe(200)
  })

  test('D134 strangers who guess pause no browser that the account knows', async () => {
    const user = await enrolled()
    const { browser, ticket } = await firstStep(user)
    for (const _ of times(6, () => 0)) await browser.call(loginByFactor, { ticket, totp: user.app.wrong() })
    expect((await browser.call(loginByFactor, { ticket, recovery: user.codes[0] })).code).toBe('FACTOR_PAUSED')
    const own = await firstStep(user, user)
    expect((await own.browser.call(loginByFactor, { ticket: own.ticket, totp: await user.app.code() })).status).toBe(
      200,
    )
    expect((await user.call(verifyTwoFactor, { totp: await user.app.code() })).status).toBe(200)
  })

  test('D134 strangers guess no more than fifty times a day', async () => {
    const user = await enrolled()
    const { browser, ticket } = await firstStep(user)
    await t.deps.pool.query(
      `INSERT INTO security_log (site_id, user_id, event, address, detail)
        VALUES ($1, $2, 'factor.failed', '198.51.100.1', '{"count": 50}')`,
      [site.id, user.id],
    )
    expect((await browser.call(loginByFactor, { ticket, totp: await user.app.code() })).code).toBe('FACTOR_PAUSED')
  })

  test('D134 right codes are not counted', async () => {
    const user = await enrolled()
    for (const _ of times(7, () => 0))
      expect((await user.call(verifyTwoFactor, { totp: await user.app.code() })).status).toBe(200)
  })
})

describe('step-up', () => {
  test('D135 neither SMS nor e-mail nor password steps up a protected account, and a recent sign-in does not either', async () => {
    const user = await enrolled()
    await t.deps.pool.query('UPDATE session SET two_factor_at = NULL, factor_at = NULL WHERE user_id = $1', [user.id])
    const { browser, ticket } = await firstStep(user)
    await browser.call(loginByFactor, { ticket, totp: await user.app.code() })
    await t.deps.pool.query("UPDATE session SET factor_at = now() - interval '11 minutes' WHERE id = $1", [
      sessionOf(browser),
    ])
    expect((await browser.call(twoFactorState)).data).toMatchObject({
      twoFactor: false,
      factors: ['totp', 'recovery'],
      second: [],
    })
    for (const send of [sendTwoFactorMobileCode, sendTwoFactorEmailCode])
      expect(await browser.call(send, {})).toMatchObject({ code: 'INPUT_INVALID', details: { field: 'way' } })
    for (const evidence of [{ code: '123456' }, { code: '123456', way: 'email' as const }, { password }])
      expect((await browser.call(verifyTwoFactor, evidence)).code).toBe('INPUT_INVALID')
    expect(await browser.call(changePassword, { password: 'Qy#2027winter' })).toMatchObject({
      code: 'TWO_FACTOR_REQUIRED',
      details: { factor: true },
    })
    expect((await browser.call(verifyTwoFactor, { totp: await user.app.code() })).status).toBe(200)
    expect((await browser.call(twoFactorState)).data?.twoFactor).toBe(true)
    expect((await browser.call(changePassword, { password: 'Qy#2027winter' })).status).toBe(200)
  })

  test('D135 a step-up by SMS from before the protection counts no longer', async () => {
    const user = await member(t, site)
    const other = t.browser(site)
    await other.call(loginByPassword, { account: user.username, password })
    await stepUp(t, site, other, user.mobile)
    // Not by the calls, which would end this session.
    await protect(t.deps, site.id, user.id as UserId)
    expect(await other.call(changePassword, { password: 'Qy#2027winter' })).toMatchObject({
      code: 'TWO_FACTOR_REQUIRED',
      details: { factor: true },
    })
  })

  test('D135 an account without a factor proves none', async () => {
    const user = await member(t, site)
    expect((await user.call(verifyTwoFactor, { totp: '123456' })).code).toBe('FACTOR_NONE')
  })
})

describe('trust', () => {
  async function trusting(at = site, config: SiteConfig = {}) {
    const own = Object.keys(config).length > 0 ? await t.codeSite(config) : at
    const user = await enrolled(own)
    const browser = t.browser(own)
    const { details } = await browser.call(loginByPassword, { account: user.username, password })
    const answer = await browser.call(loginByFactor, {
      ticket: details.ticket,
      totp: await user.app.code(),
      trust: true,
    })
    expect(answer.status).toBe(200)
    return { user, browser, offered: details.trust as boolean, again: () => signsIn(browser, user) }
  }

  /** Whether the password alone signs in. */
  const signsIn = async (browser: TestBrowser, { username }: Member) =>
    (await browser.call(loginByPassword, { account: username, password })).status === 200

  test('D136 a trusted browser signs in without the second step for 30 days, but steps up by the factor alone', async () => {
    const { user, browser, offered, again } = await trusting()
    expect([offered, await again()]).toEqual([true, true])
    expect((await browser.call(userInfo)).data?.twoFactor).toBe(false)
    await checked(t, browser)
    expect((await browser.call(removeFactors)).code).toBe('TWO_FACTOR_REQUIRED')
    expect((await user.call(factorState)).data?.trusted).toBe(1)
    expect(await signsIn(t.browser(site), user)).toBe(false)
    await t.deps.pool.query(
      "UPDATE known_browser SET trusted_until = trusted_until - interval '30 days' WHERE user_id = $1",
      [user.id],
    )
    expect(await again()).toBe(false)
  })

  test('D136 it ends when the owner says so, with a change of password and with the removal of devices', async () => {
    const forgotten = await trusting()
    expect((await forgotten.user.call(forgetTrusted)).status).toBe(200)
    expect(await forgotten.again()).toBe(false)
    const removed = await trusting()
    expect((await removed.user.call(removeDevice, { id: sessionOf(removed.browser) })).status).toBe(200)
    expect(await removed.again()).toBe(false)
    const others = await trusting()
    expect((await others.user.call(removeOtherDevices)).status).toBe(200)
    expect(await others.again()).toBe(false)
    const changed = await trusting()
    expect((await changed.browser.call(changePassword, { password: 'Qy#2027winter' })).status).toBe(200)
    const account = changed.user.username
    expect((await changed.browser.call(loginByPassword, { account, password: 'Qy#2027winter' })).code).toBe(
      'FACTOR_REQUIRED',
    )
  })

  test('D136 a site that allows none offers none, and an operator has none, also of before the rights', async () => {
    const off = await trusting(site, { protection: { trustDevices: false } })
    expect([off.offered, await off.again()]).toEqual([false, false])
    const former = await trusting()
    const { config, version } = await readConfig(t.deps, site.id)
    const changed = { ...config, protection: { trustDevices: false } }
    await saveConfig(t.deps, site.id, { config: changed, basedOn: version }, 'test')
    await t.deps.sites.refresh()
    expect(await former.again()).toBe(false)
    site = await t.codeSite()
    const { user, again } = await trusting()
    expect(await again()).toBe(true)
    await grant(t.deps, site.id, user.id as UserId, 'MERCHANT', ['READ'], 'test')
    expect(await again()).toBe(false)
  })
})

describe('enrolment', () => {
  async function unprotectedOperator() {
    const user = await member(t, site)
    await grant(t.deps, site.id, user.id as UserId, 'MERCHANT', ['READ'], 'test')
    await checked(t, user)
    return user
  }

  const enrolmentOf = (id: string) =>
    t.deps.db.transaction().execute((tx) => newEnrolment(tx, t.deps.config.keys, site.id, id as UserId))

  test('D139 after a reset the account enrols with the code alone, which is counted, expires and counts once', async () => {
    const user = await unprotectedOperator()
    const { enrolment } = await enrolmentOf(user.id)
    expect((await user.call(beginTotp, {})).code).toBe('ENROLMENT_REQUIRED')
    expect((await user.call(factorState)).data?.enrolment).toBe(true)
    for (const _ of times(5, () => 0))
      expect((await user.call(beginTotp, { enrolment: 'AAAA-BBBB-CCCC' })).code).toBe('FACTOR_WRONG')
    expect((await user.call(beginTotp, { enrolment })).code).toBe('FACTOR_PAUSED')
    await forgetTries(user)
    await addTotp(user, user.id, enrolment)
    expect((await user.call(factorState)).data).toMatchObject({ protected: true, enrolment: false })
    const late = await unprotectedOperator()
    const expired = await enrolmentOf(late.id)
    await t.deps.pool.query("UPDATE enrolment_ticket SET expires_at = now() - interval '1 second' WHERE user_id = $1", [
      late.id,
    ])
    expect((await late.call(beginTotp, { enrolment: expired.enrolment })).code).toBe('FACTOR_WRONG')
    expect((await late.call(beginTotp, {})).code).toBe('ENROLMENT_REQUIRED')
  })

  test('D139 an operator whose number alone is known needs one in a new browser, a customer none', async () => {
    const mobile = fresh.mobile()
    const id = await createUser(t.deps, site.id, { mobile }, 'test')
    await grant(t.deps, site.id, id, 'MERCHANT', ['READ'], 'test')
    const operator = await t.signIn(site, { mobile })
    await checked(t, operator)
    expect((await operator.call(beginTotp, {})).code).toBe('ENROLMENT_REQUIRED')
    await t.deps.pool.query("UPDATE known_browser SET first_seen = now() - interval '73 hours' WHERE user_id = $1", [
      id,
    ])
    // Known for long, it lacks another way to sign in, as a customer does.
    expect((await operator.call(beginTotp, {})).code).toBe('FACTOR_NEEDS_WAY')
  })
})

test('D137 a first factor that was added in another browser meanwhile is owed at once', async () => {
  const user = await member(t, site)
  await checked(t, user)
  await second(t, user)
  await user.call(beginTotp, {})
  await protectElsewhere(user)
  expect(await user.call(removeFactors)).toMatchObject({ code: 'TWO_FACTOR_REQUIRED', details: { factor: true } })
  await factored(t, user)
})

async function protectElsewhere({ id }: Member): Promise<void> {
  await t.deps.pool.query('DELETE FROM totp WHERE user_id = $1', [id])
  await protect(t.deps, site.id, id as UserId)
}
