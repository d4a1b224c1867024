import { changeEmail, changeMobile, changePassword, changeUsername } from '@hufu/contract/account'
import { passwordSymbols } from '@hufu/contract/account-rules'
import { loginByPassword } from '@hufu/contract/login'
import { userInfo } from '@hufu/contract/profile'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { member, newEmail, newMobile, password, signInAgain, stepUp, type Without } from '../../../test/account-user.ts'
import {
  fresh,
  sessionOf,
  startTestApp,
  type TestApp,
  type TestSite,
  times,
  wrongCode,
} from '../../../test/test-app.ts'

let t: TestApp
let site: TestSite
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite()
})
afterAll(() => t.close())

/** A user who has just completed a step-up. */
async function checked(without: Without = {}) {
  const user = await member(t, site, without)
  await stepUp(t, site, user, user.mobile)
  return user
}

const rows = async (query: string, id: string) => (await t.deps.pool.query(query, [id])).rows
const events = async (id: string) =>
  (await rows('SELECT event FROM security_log WHERE user_id = $1 ORDER BY at', id)).map(({ event }) => event)

async function notices(to: { mobile: string; email: string }) {
  const { rows: found } = await t.deps.pool.query(
    `SELECT name, data FROM pgboss.job WHERE name IN ('mail-notice', 'sms-notice')
      AND (data->>'to' = $1 OR data->>'mobile' = $2) ORDER BY name, created_on`,
    [to.email, to.mobile],
  )
  return found as { name: string; data: Record<string, string> }[]
}

describe('changing the number', () => {
  test('S385 moves the account: the new number signs in, the former one is free, the log has it, the former number is notified', async () => {
    const user = await checked()
    const wanted = await newMobile(user)
    const secret = user.cookies.get('__Host-hufu')
    expect(await user.call(changeMobile, wanted)).toMatchObject({ status: 200, data: null })
    expect(user.cookies.get('__Host-hufu')).not.toBe(secret)
    expect((await user.call(userInfo)).data).toMatchObject({ mobilePrefix: '86', mobile: wanted.mobile })
    expect((await t.call(site, loginByPassword, { account: wanted.mobile, password })).data?.id).toBe(user.id)
    expect((await t.call(site, loginByPassword, { account: user.mobile, password })).code).toBe('LOGIN_FAILED')
    expect(await events(user.id)).toContain('mobile.change')
    expect(await notices(user)).toMatchObject([
      { name: 'mail-notice', data: { to: user.email } },
      { name: 'sms-notice', data: { mobile: user.mobile, event: '更换了绑定的手机号，非本人请到登录页找回账号' } },
    ])
    await t.passMinute(site, `+86${user.mobile}`)
    const next = await t.signIn(site, { mobile: user.mobile })
    expect(next.id).not.toBe(user.id)
  })

  test('D060 a number of another user answers MOBILE_TAKEN after the code alone, and the code is not burnt by it', async () => {
    const other = await member(t, site)
    const user = await checked()
    const wanted = await newMobile(user, other.mobile)
    expect((await user.call(changeMobile, { ...wanted, code: wrongCode(wanted.code) })).code).toBe('CODE_WRONG')
    expect(await user.call(changeMobile, wanted)).toMatchObject({ status: 409, code: 'MOBILE_TAKEN' })
    expect((await user.call(changeMobile, wanted)).code).toBe('MOBILE_TAKEN')
    expect((await user.call(userInfo)).data?.mobile).toBe(user.mobile)
    expect(await notices(user)).toEqual([])
  })

  test('the own number again is said to be the same', async () => {
    const user = await checked()
    await t.passMinute(site, `+86${user.mobile}`)
    expect((await user.call(changeMobile, await newMobile(user, user.mobile))).code).toBe('UNCHANGED')
  })

  test('of two users who take one number at once, one gets it', async () => {
    const users = await Promise.all(times(2, () => checked()))
    const mobile = fresh.mobile()
    const codes = new Map<(typeof users)[number], string>()
    for (const user of users) {
      await t.passMinute(site, `+86${mobile}`)
      codes.set(user, (await newMobile(user, mobile)).code)
    }
    const answers = await Promise.all(
      [...codes].map(([user, code]) => user.call(changeMobile, { mobilePrefix: '86', mobile, code })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })
})

describe('changing the e-mail', () => {
  test('S387 S103 takes effect at once and notifies the former address, once', async () => {
    const user = await checked()
    const wanted = await newEmail(user)
    expect((await user.call(changeEmail, wanted)).status).toBe(200)
    expect((await user.call(userInfo)).data?.email).toBe(wanted.email)
    expect((await t.call(site, loginByPassword, { account: wanted.email, password })).data?.id).toBe(user.id)
    expect((await t.call(site, loginByPassword, { account: user.email, password })).code).toBe('LOGIN_FAILED')
    expect(await notices(user)).toMatchObject([
      { name: 'mail-notice', data: { to: user.email, subject: '您的账号修改了电子邮箱' } },
      { name: 'sms-notice', data: { mobile: user.mobile } },
    ])
    expect((await user.call(changeEmail, wanted)).code).toBe('CODE_WRONG')
    expect(await notices(user)).toHaveLength(2)
  })

  test('the number is notified of the account’s first address', async () => {
    const user = await checked({ email: undefined })
    expect((await user.call(changeEmail, await newEmail(user))).status).toBe(200)
    expect(await notices({ mobile: user.mobile, email: '' })).toMatchObject([{ name: 'sms-notice' }])
  })

  test('D060 an address of another user answers EMAIL_TAKEN', async () => {
    const other = await member(t, site)
    const user = await checked()
    expect(await user.call(changeEmail, await newEmail(user, other.email))).toMatchObject({
      status: 409,
      code: 'EMAIL_TAKEN',
    })
  })
})

describe('changing the username', () => {
  test('S388 the new name signs in, in any case, and the former one does not', async () => {
    const user = await checked()
    const username = fresh.username()
    expect((await user.call(changeUsername, { username })).status).toBe(200)
    expect((await t.call(site, loginByPassword, { account: username.toUpperCase(), password })).data?.id).toBe(user.id)
    expect((await t.call(site, loginByPassword, { account: user.username, password })).code).toBe('LOGIN_FAILED')
    expect(await notices(user)).toMatchObject([
      { name: 'mail-notice', data: { to: user.email } },
      { name: 'sms-notice', data: { mobile: user.mobile } },
    ])
  })

  test('D038 D060 taken without case: USERNAME_TAKEN; only another spelling of the own one is fine', async () => {
    const other = await member(t, site)
    const user = await checked()
    expect(await user.call(changeUsername, { username: other.username.toUpperCase() })).toMatchObject({
      status: 409,
      code: 'USERNAME_TAKEN',
    })
    const shouted = user.username.toUpperCase()
    expect((await user.call(changeUsername, { username: shouted })).status).toBe(200)
    expect((await user.call(userInfo)).data?.username).toBe(shouted)
    expect((await user.call(changeUsername, { username: shouted })).code).toBe('UNCHANGED')
  })

  test.each(['abc', 'a'.repeat(21), '1abc', '_abc', 'ab-c', 'ab c', '小虎虎虎', 'ａｂｃｄ', 'abcı', ''])(
    'D038 refused: %s',
    async (username) => {
      const user = await checked()
      expect(await user.call(changeUsername, { username })).toMatchObject({ status: 400, code: 'USERNAME_INVALID' })
    },
  )

  test.each(['abcd', 'A_2'.padEnd(20, 'x')])('D038 taken: %s', async (username) => {
    const user = await checked()
    expect((await user.call(changeUsername, { username })).status).toBe(200)
  })
})

describe('changing the password', () => {
  test('S386 D036 the new one signs in, the former does not, the other sessions end, this one goes on', async () => {
    const user = await checked()
    const other = await signInAgain(t, site, user)
    expect((await user.call(changePassword, { password: 'Neu#2026pass' })).status).toBe(200)
    expect((await other.call(userInfo)).code).toBe('SESSION_REMOVED')
    expect((await user.call(userInfo)).status).toBe(200)
    expect((await t.call(site, loginByPassword, { account: user.email, password })).code).toBe('LOGIN_FAILED')
    expect((await t.call(site, loginByPassword, { account: user.email, password: 'Neu#2026pass' })).status).toBe(200)
    expect(await notices(user)).toMatchObject([
      { name: 'mail-notice', data: { subject: '您的账号修改了登录密码' } },
      { name: 'sms-notice', data: { mobile: user.mobile } },
    ])
    const [row] = await rows('SELECT secret FROM credential WHERE user_id = $1', user.id)
    expect(row.secret).toMatch(/^\$argon2id\$/)
  })

  test('D120 the account forgets every browser but the one in which it was changed', async () => {
    const user = await checked()
    await signInAgain(t, site, user)
    expect((await user.call(changePassword, { password: 'Neu#2026pass' })).status).toBe(200)
    const kept =
      'SELECT s.id FROM known_browser k JOIN session s ON s.browser_hash = k.cookie_hash WHERE k.user_id = $1'
    expect(await rows(kept, user.id)).toEqual([{ id: sessionOf(user) }])
  })

  test('after it the former secret is worth nothing at once, also not for another tab', async () => {
    const user = await checked()
    const tab = t.browser(site)
    for (const [name, value] of user.cookies) tab.cookies.set(name, value)
    await user.call(changePassword, { password: 'Neu#2026pass' })
    expect((await tab.call(userInfo)).code).toBe('NOT_LOGGED_IN')
  })

  test.each([
    ['S297', 'Aa#4567', 'PASSWORD_LENGTH', '密码长度为8-16位'],
    ['S297', 'Aa#45678901234567', 'PASSWORD_LENGTH', '密码长度为8-16位'],
    ['S299', 'Aa#bcdefg', 'PASSWORD_CONTAIN', '密码必须包含数字、字母和符号'],
    ['S300', '12#345678', 'PASSWORD_CONTAIN', '密码必须包含数字、字母和符号'],
    ['S301', 'Aa345678', 'PASSWORD_CONTAIN', '密码必须包含数字、字母和符号'],
    ['S303', 'Aa#45678é', 'PASSWORD_SYMBOLS', '符号仅支持：~!@#$%^&*()-_=+[]{}|;:,.<>?/'],
    ['S303', 'Aa#4567 8', 'PASSWORD_SYMBOLS', '符号仅支持：~!@#$%^&*()-_=+[]{}|;:,.<>?/'],
    ['S303', "Aa#4567'8", 'PASSWORD_SYMBOLS', '符号仅支持：~!@#$%^&*()-_=+[]{}|;:,.<>?/'],
  ])('%s refused: %s', async (_id, weak, code, message) => {
    const user = await checked()
    expect(await user.call(changePassword, { password: weak })).toMatchObject({ status: 400, code, message })
    expect((await t.call(site, loginByPassword, { account: user.email, password })).status).toBe(200)
  })

  test('a common one, and one made of a name of the user or the site, is refused and changes nothing', async () => {
    const user = await checked()
    for (const weak of ['P@ssw0rd2026', `${user.username}#1`, `a!${user.mobile}`, 'Example#8492017'])
      expect(await user.call(changePassword, { password: weak }), weak).toMatchObject({
        status: 400,
        code: 'PASSWORD_COMMON',
        message: '密码过于常见或与您的账号信息相近，请换一个',
      })
    expect((await t.call(site, loginByPassword, { account: user.email, password })).status).toBe(200)
  })

  test('S298 S302 eight and sixteen characters are taken, and each of the symbols', async () => {
    const user = await checked()
    for (const good of ['Aa#45678', 'Aa#4567890123456', ...[...passwordSymbols].map((symbol) => `Aa345678${symbol}`)])
      expect((await user.call(changePassword, { password: good })).status, good).toBe(200)
  })
})

test('without a check every change answers TWO_FACTOR_REQUIRED, also past a cache that still believes in one', async () => {
  const user = await checked()
  await user.call(userInfo)
  await t.deps.pool.query('UPDATE session SET two_factor_at = NULL WHERE user_id = $1', [user.id])
  expect((await user.call(changeUsername, { username: fresh.username() })).code).toBe('TWO_FACTOR_REQUIRED')
  expect((await user.call(changePassword, { password: 'Neu#2026pass' })).code).toBe('TWO_FACTOR_REQUIRED')
})

test('of many changes at once from one browser each is whole: one notice and one entry for each that was answered', async () => {
  const user = await checked()
  const answers = await Promise.all(times(5, () => user.call(changeUsername, { username: fresh.username() })))
  const done = answers.filter(({ status }) => status === 200).length
  expect(done).toBeGreaterThan(0)
  expect((await events(user.id)).filter((event) => event === 'username.change')).toHaveLength(done)
  expect(await notices(user)).toHaveLength(done * 2)
})
