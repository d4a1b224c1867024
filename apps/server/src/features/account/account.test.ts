import { changeEmail, changeMobile, changePassword, changeUsername } from '@hufu/contract/account'
import { passwordSymbols } from '@hufu/contract/account-rules'
import { loginByPassword } from '@hufu/contract/login'
import { userInfo } from '@hufu/contract/profile'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  member,
  newEmail,
  newMobile,
  password,
  signInAgain,
  stepUp,
  type Without,
} from '../../../test/account-person.ts'
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

/** Somebody whose identity has just been checked. */
async function checked(without: Without = {}) {
  const person = await member(t, site, without)
  await stepUp(t, site, person, person.mobile)
  return person
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
  test('S385 moves the account: the new number signs in, the former one is free, the log has it, the former number is told', async () => {
    const person = await checked()
    const wanted = await newMobile(person)
    const secret = person.cookies.get('__Host-hufu')
    expect(await person.call(changeMobile, wanted)).toMatchObject({ status: 200, data: null })
    expect(person.cookies.get('__Host-hufu')).not.toBe(secret)
    expect((await person.call(userInfo)).data).toMatchObject({ mobilePrefix: '86', mobile: wanted.mobile })
    expect((await t.call(site, loginByPassword, { account: wanted.mobile, password })).data?.id).toBe(person.id)
    expect((await t.call(site, loginByPassword, { account: person.mobile, password })).code).toBe('LOGIN_FAILED')
    expect(await events(person.id)).toContain('mobile.change')
    expect(await notices(person)).toMatchObject([
      { name: 'mail-notice', data: { to: person.email } },
      { name: 'sms-notice', data: { mobile: person.mobile, event: '更换了绑定的手机号，非本人请到登录页找回账号' } },
    ])
    await t.passMinute(site, `+86${person.mobile}`)
    const next = await t.signIn(site, { mobile: person.mobile })
    expect(next.id).not.toBe(person.id)
  })

  test('D060 a number of somebody else answers MOBILE_TAKEN after the code alone, and the code is not burnt by it', async () => {
    const other = await member(t, site)
    const person = await checked()
    const wanted = await newMobile(person, other.mobile)
    expect((await person.call(changeMobile, { ...wanted, code: wrongCode(wanted.code) })).code).toBe('CODE_WRONG')
    expect(await person.call(changeMobile, wanted)).toMatchObject({ status: 409, code: 'MOBILE_TAKEN' })
    expect((await person.call(changeMobile, wanted)).code).toBe('MOBILE_TAKEN')
    expect((await person.call(userInfo)).data?.mobile).toBe(person.mobile)
    expect(await notices(person)).toEqual([])
  })

  test('the own number again is said to be the same', async () => {
    const person = await checked()
    await t.passMinute(site, `+86${person.mobile}`)
    expect((await person.call(changeMobile, await newMobile(person, person.mobile))).code).toBe('UNCHANGED')
  })

  test('of two people who take one number at once, one gets it', async () => {
    const people = await Promise.all(times(2, () => checked()))
    const mobile = fresh.mobile()
    const codes = new Map<(typeof people)[number], string>()
    for (const person of people) {
      await t.passMinute(site, `+86${mobile}`)
      codes.set(person, (await newMobile(person, mobile)).code)
    }
    const answers = await Promise.all(
      [...codes].map(([person, code]) => person.call(changeMobile, { mobilePrefix: '86', mobile, code })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })
})

describe('changing the e-mail', () => {
  test('S387 S103 takes effect at once and tells the former address, once', async () => {
    const person = await checked()
    const wanted = await newEmail(person)
    expect((await person.call(changeEmail, wanted)).status).toBe(200)
    expect((await person.call(userInfo)).data?.email).toBe(wanted.email)
    expect((await t.call(site, loginByPassword, { account: wanted.email, password })).data?.id).toBe(person.id)
    expect((await t.call(site, loginByPassword, { account: person.email, password })).code).toBe('LOGIN_FAILED')
    expect(await notices(person)).toMatchObject([
      { name: 'mail-notice', data: { to: person.email, subject: '您的账号修改了电子邮箱' } },
      { name: 'sms-notice', data: { mobile: person.mobile } },
    ])
    expect((await person.call(changeEmail, wanted)).code).toBe('CODE_WRONG')
    expect(await notices(person)).toHaveLength(2)
  })

  test('the first address of an account is told to its number', async () => {
    const person = await checked({ email: undefined })
    expect((await person.call(changeEmail, await newEmail(person))).status).toBe(200)
    expect(await notices({ mobile: person.mobile, email: '' })).toMatchObject([{ name: 'sms-notice' }])
  })

  test('D060 an address of somebody else answers EMAIL_TAKEN', async () => {
    const other = await member(t, site)
    const person = await checked()
    expect(await person.call(changeEmail, await newEmail(person, other.email))).toMatchObject({
      status: 409,
      code: 'EMAIL_TAKEN',
    })
  })
})

describe('changing the username', () => {
  test('S388 the new name signs in, in any case, and the former one does not', async () => {
    const person = await checked()
    const username = fresh.username()
    expect((await person.call(changeUsername, { username })).status).toBe(200)
    expect((await t.call(site, loginByPassword, { account: username.toUpperCase(), password })).data?.id).toBe(
      person.id,
    )
    expect((await t.call(site, loginByPassword, { account: person.username, password })).code).toBe('LOGIN_FAILED')
    expect(await notices(person)).toMatchObject([
      { name: 'mail-notice', data: { to: person.email } },
      { name: 'sms-notice', data: { mobile: person.mobile } },
    ])
  })

  test('D038 D060 taken without case: USERNAME_TAKEN; only another spelling of the own one is fine', async () => {
    const other = await member(t, site)
    const person = await checked()
    expect(await person.call(changeUsername, { username: other.username.toUpperCase() })).toMatchObject({
      status: 409,
      code: 'USERNAME_TAKEN',
    })
    const shouted = person.username.toUpperCase()
    expect((await person.call(changeUsername, { username: shouted })).status).toBe(200)
    expect((await person.call(userInfo)).data?.username).toBe(shouted)
    expect((await person.call(changeUsername, { username: shouted })).code).toBe('UNCHANGED')
  })

  test.each(['abc', 'a'.repeat(21), '1abc', '_abc', 'ab-c', 'ab c', '小虎虎虎', 'ａｂｃｄ', 'abcı', ''])(
    'D038 refused: %s',
    async (username) => {
      const person = await checked()
      expect(await person.call(changeUsername, { username })).toMatchObject({ status: 400, code: 'USERNAME_INVALID' })
    },
  )

  test.each(['abcd', 'A_2'.padEnd(20, 'x')])('D038 taken: %s', async (username) => {
    const person = await checked()
    expect((await person.call(changeUsername, { username })).status).toBe(200)
  })
})

describe('changing the password', () => {
  test('S386 D036 the new one signs in, the former does not, the other sessions end, this one goes on', async () => {
    const person = await checked()
    const other = await signInAgain(t, site, person)
    expect((await person.call(changePassword, { password: 'Neu#2026pass' })).status).toBe(200)
    expect((await other.call(userInfo)).code).toBe('SESSION_REMOVED')
    expect((await person.call(userInfo)).status).toBe(200)
    expect((await t.call(site, loginByPassword, { account: person.email, password })).code).toBe('LOGIN_FAILED')
    expect((await t.call(site, loginByPassword, { account: person.email, password: 'Neu#2026pass' })).status).toBe(200)
    expect(await notices(person)).toMatchObject([
      { name: 'mail-notice', data: { subject: '您的账号修改了登录密码' } },
      { name: 'sms-notice', data: { mobile: person.mobile } },
    ])
    const [row] = await rows('SELECT secret FROM credential WHERE user_id = $1', person.id)
    expect(row.secret).toMatch(/^\$argon2id\$/)
  })

  test('D120 the account forgets every browser but the one in which it was changed', async () => {
    const person = await checked()
    await signInAgain(t, site, person)
    expect((await person.call(changePassword, { password: 'Neu#2026pass' })).status).toBe(200)
    const kept =
      'SELECT s.id FROM known_browser k JOIN session s ON s.browser_hash = k.cookie_hash WHERE k.user_id = $1'
    expect(await rows(kept, person.id)).toEqual([{ id: sessionOf(person) }])
  })

  test('after it the former secret is worth nothing at once, also not for another tab', async () => {
    const person = await checked()
    const tab = t.browser(site)
    for (const [name, value] of person.cookies) tab.cookies.set(name, value)
    await person.call(changePassword, { password: 'Neu#2026pass' })
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
    const person = await checked()
    expect(await person.call(changePassword, { password: weak })).toMatchObject({ status: 400, code, message })
    expect((await t.call(site, loginByPassword, { account: person.email, password })).status).toBe(200)
  })

  test('a common one, and one made of a name of the person or the site, is refused and changes nothing', async () => {
    const person = await checked()
    for (const weak of ['P@ssw0rd2026', `${person.username}#1`, `a!${person.mobile}`, 'Example#8492017'])
      expect(await person.call(changePassword, { password: weak }), weak).toMatchObject({
        status: 400,
        code: 'PASSWORD_COMMON',
        message: '密码过于常见或与您的账号信息相近，请换一个',
      })
    expect((await t.call(site, loginByPassword, { account: person.email, password })).status).toBe(200)
  })

  test('S298 S302 eight and sixteen characters are taken, and each of the symbols', async () => {
    const person = await checked()
    for (const good of ['Aa#45678', 'Aa#4567890123456', ...[...passwordSymbols].map((symbol) => `Aa345678${symbol}`)])
      expect((await person.call(changePassword, { password: good })).status, good).toBe(200)
  })
})

test('without a check every change answers TWO_FACTOR_REQUIRED, also past a cache that still believes in one', async () => {
  const person = await checked()
  await person.call(userInfo)
  await t.deps.pool.query('UPDATE session SET two_factor_at = NULL WHERE user_id = $1', [person.id])
  expect((await person.call(changeUsername, { username: fresh.username() })).code).toBe('TWO_FACTOR_REQUIRED')
  expect((await person.call(changePassword, { password: 'Neu#2026pass' })).code).toBe('TWO_FACTOR_REQUIRED')
})

test('of many changes at once from one browser each is whole: one notice and one entry for each that was answered', async () => {
  const person = await checked()
  const answers = await Promise.all(times(5, () => person.call(changeUsername, { username: fresh.username() })))
  const done = answers.filter(({ status }) => status === 200).length
  expect(done).toBeGreaterThan(0)
  expect((await events(person.id)).filter((event) => event === 'username.change')).toHaveLength(done)
  expect(await notices(person)).toHaveLength(done * 2)
})
