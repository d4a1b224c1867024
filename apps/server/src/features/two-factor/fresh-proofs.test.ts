import { changeEmail, changeMobile, changePassword } from '@hufu/contract/account'
import { loginByPassword } from '@hufu/contract/login'
import { exportUsers } from '@hufu/contract/merchant-users'
import { closeAccount, exportData } from '@hufu/contract/personal-data'
import { userInfo } from '@hufu/contract/profile'
import { sendTwoFactorEmailCode, twoFactorState, verifyTwoFactor } from '@hufu/contract/two-factor'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newEmail, newMobile, password, stepUp } from '../../../test/account-person.ts'
import { held, lockedOut } from '../../../test/race.ts'
import { codeTo, fresh, startTestApp, type TestApp, type TestBrowser, type TestSite } from '../../../test/test-app.ts'
import { newWechat, personal, through } from '../../../test/wechat-phone.ts'
import type { UserId } from '../../core/ids.ts'
import { createUser, grant } from '../users/users.service.ts'

let t: TestApp
/** Of the account that a test is about: each has one of its own, for the people of the simulated WeChat are few. */
let site: TestSite
beforeAll(async () => {
  t = await startTestApp()
})
afterAll(() => t.close())

const stolen = 'Neu#2026pass'

interface Victim {
  id: UserId
  mobile: string
}

/** Somebody with a number and whatever else. */
async function victim(own: { email?: string; password?: string }): Promise<Victim> {
  site = await t.codeSite({ wechat: { ...(await newWechat()) } })
  const mobile = fresh.mobile()
  return { mobile, id: await createUser(t.deps, site.id, { mobile, ...own }, 'test') }
}

/** Whoever has the number alone, in a browser that is new to the account, signed in and checked by it. */
async function thiefOf({ mobile }: Victim): Promise<TestBrowser> {
  await t.passMinute(site, `+86${mobile}`)
  const browser = await t.signIn(site, { mobile })
  await stepUp(t, site, browser, mobile)
  return browser
}

async function setPassword(thief: TestBrowser): Promise<void> {
  expect((await thief.call(changePassword, { password: stolen })).status).toBe(200)
}

async function setEmail(thief: TestBrowser): Promise<string> {
  const wanted = await newEmail(thief)
  expect((await thief.call(changeEmail, wanted)).status).toBe(200)
  await t.passMinute(site, wanted.email)
  return wanted.email
}

const setWechat = async (thief: TestBrowser) =>
  expect(await through(thief, await personal(thief, 'binding'), 'chen')).toBe('/user')

const verifyPassword = async (browser: TestBrowser) =>
  expect((await browser.call(verifyTwoFactor, { password: stolen })).status).toBe(200)

async function verifyEmail(browser: TestBrowser, email: string): Promise<void> {
  await browser.call(sendTwoFactorEmailCode)
  expect((await browser.call(verifyTwoFactor, { code: await codeTo(email), way: 'email' })).status).toBe(200)
}

const verifyWechat = async (browser: TestBrowser) =>
  expect(await through(browser, await personal(browser, 'check'), 'chen')).toBe('/user')

/** One more new browser, signed in by the password and checked by the number. */
async function again(account: string, mobile: string): Promise<TestBrowser> {
  const browser = t.browser(site)
  expect((await browser.call(loginByPassword, { account, password: stolen })).status).toBe(200)
  await stepUp(t, site, browser, mobile)
  return browser
}

type Answered = { status: number; code?: string | undefined; details?: unknown }

const actions: Record<string, (browser: TestBrowser) => Promise<Answered>> = {
  export: (browser) => browser.call(exportData),
  async unbind(browser) {
    const outcome = /wechat=(\w+)$/.exec(await browser.go(await personal(browser, 'unbinding')))?.[1]
    return outcome === 'unbind' ? { status: 200 } : { status: 403, code: outcome }
  },
  changeMobile: async (browser) => browser.call(changeMobile, await newMobile(browser)),
  close: (browser) => browser.call(closeAccount),
}

async function refused(browser: TestBrowser, code: string): Promise<void> {
  for (const [name, act] of Object.entries(actions))
    expect(await act(browser), name).toMatchObject({ status: 403, code })
}

async function allowed(browser: TestBrowser): Promise<void> {
  for (const [name, act] of Object.entries(actions)) expect((await act(browser)).status, name).toBe(200)
}

const pass72Hours = (id: UserId) =>
  t.deps.pool.query(
    `UPDATE users SET password_fresh_until = password_fresh_until - interval '72 hours',
      email_fresh_until = email_fresh_until - interval '72 hours',
      wechat_fresh_until = wechat_fresh_until - interval '72 hours' WHERE id = $1`,
    [id],
  )

const freshOf = async (id: UserId) => {
  const { rows } = await t.deps.pool.query(
    `SELECT password_fresh_until IS NOT NULL AS password, email_fresh_until IS NOT NULL AS email,
      wechat_fresh_until IS NOT NULL AS wechat FROM users WHERE id = $1`,
    [id],
  )
  return Object.keys(rows[0]).filter((kind) => rows[0][kind])
}

describe('what the number alone has set is no second proof for 72 hours', () => {
  test('D073 a password, given in the check', async () => {
    const person = await victim({ password })
    const thief = await thiefOf(person)
    await setPassword(thief)
    await verifyPassword(thief)
    await refused(thief, 'SECOND_TOO_FRESH')
    expect((await thief.call(twoFactorState)).data).toEqual({ twoFactor: true, way: 'mobile', second: [] })
    await pass72Hours(person.id)
    await refused(thief, 'TWO_FACTOR_REQUIRED')
    await verifyPassword(thief)
    await allowed(thief)
  })

  test('D073 a password, signed in with', async () => {
    const person = await victim({ password })
    await setPassword(await thiefOf(person))
    const browser = await again(person.mobile, person.mobile)
    await refused(browser, 'SECOND_TOO_FRESH')
    await pass72Hours(person.id)
    await allowed(browser)
  })

  test('D073 an e-mail address, given in the check', async () => {
    const person = await victim({ email: fresh.email() })
    const thief = await thiefOf(person)
    const email = await setEmail(thief)
    await verifyEmail(thief, email)
    await refused(thief, 'SECOND_TOO_FRESH')
    await pass72Hours(person.id)
    await t.passMinute(site, email)
    await verifyEmail(thief, email)
    await allowed(thief)
  })

  test('D073 an e-mail address, signed in with by a password that was set after it', async () => {
    const person = await victim({ email: fresh.email() })
    const thief = await thiefOf(person)
    const email = await setEmail(thief)
    await setPassword(thief)
    const browser = await again(email, person.mobile)
    await verifyEmail(browser, email)
    await verifyPassword(browser)
    await refused(browser, 'SECOND_TOO_FRESH')
    await pass72Hours(person.id)
    await allowed(browser)
  })

  test('D073 a WeChat, given in the check: what the account had before is asked for', async () => {
    const person = await victim({ password })
    const thief = await thiefOf(person)
    await setWechat(thief)
    await verifyWechat(thief)
    expect((await thief.call(twoFactorState)).data?.second).toEqual(['password'])
    await refused(thief, 'TWO_FACTOR_REQUIRED')
    await pass72Hours(person.id)
    await verifyWechat(thief)
    await allowed(thief)
  })

  test('D073 a WeChat, signed in with', async () => {
    const person = await victim({ password })
    await setWechat(await thiefOf(person))
    const browser = t.browser(site)
    expect(await through(browser, '/api/login/wechat?tap=1', 'chen')).toBe('/user')
    await stepUp(t, site, browser, person.mobile)
    await refused(browser, 'TWO_FACTOR_REQUIRED')
    await pass72Hours(person.id)
    await allowed(browser)
  })

  test('D073 one after the other: while all are fresh, what is set next is fresh too', async () => {
    const person = await victim({ password })
    const thief = await thiefOf(person)
    await setPassword(thief)
    const email = await setEmail(thief)
    await setWechat(thief)
    expect(await freshOf(person.id)).toEqual(['password', 'email', 'wechat'])
    await verifyPassword(thief)
    await verifyEmail(thief, email)
    await verifyWechat(thief)
    await refused(thief, 'SECOND_TOO_FRESH')
  })

  test('D073 an operator in a new browser: nobody else is exported either, and it is said until when', async () => {
    const person = await victim({ password })
    await grant(t.deps, site.id, person.id, 'MERCHANT', ['READ', 'ADMIN'], 'test')
    const thief = await thiefOf(person)
    await setPassword(thief)
    await verifyPassword(thief)
    const answer = await thief.call(exportUsers, {})
    expect(answer).toMatchObject({ status: 403, code: 'SECOND_TOO_FRESH' })
    expect(Math.abs(Number(answer.details?.until) - Date.now() - 72 * 3_600_000)).toBeLessThan(60_000)
  })
})

test('a forgotten password can be changed in a new browser, as often as one likes, and signs in', async () => {
  const person = await victim({ password })
  const browser = await thiefOf(person)
  await setPassword(browser)
  expect((await browser.call(changePassword, { password: 'Noch#2026pass' })).status).toBe(200)
  await setPassword(browser)
  expect((await t.call(site, loginByPassword, { account: person.mobile, password: stolen })).data?.id).toBe(person.id)
})

test('an account that has a number alone owes nothing, and what it sets is not fresh', async () => {
  const person = await victim({})
  const browser = await thiefOf(person)
  await setPassword(browser)
  expect(await freshOf(person.id)).toEqual([])
  await refused(browser, 'TWO_FACTOR_REQUIRED')
  await verifyPassword(browser)
  await allowed(browser)
})

test('a browser that gave a second proof makes nothing fresh', async () => {
  const person = await victim({ password, email: fresh.email() })
  const browser = await thiefOf(person)
  expect((await browser.call(verifyTwoFactor, { password })).status).toBe(200)
  await setPassword(browser)
  await setEmail(browser)
  await setWechat(browser)
  expect(await freshOf(person.id)).toEqual([])
  await allowed(browser)
})

/** All browsers that the account has met so far. */
const knownForLong = (id: UserId) =>
  t.deps.pool.query("UPDATE known_browser SET first_seen = now() - interval '73 hours' WHERE user_id = $1", [id])

test('a browser that is known for longer makes nothing fresh', async () => {
  const person = await victim({ password })
  const browser = await thiefOf(person)
  await knownForLong(person.id)
  await setPassword(browser)
  expect(await freshOf(person.id)).toEqual([])
  await allowed(browser)
})

test('a browser that is known for longer owes nothing, whatever somebody else has made fresh', async () => {
  const person = await victim({ password })
  const own = await thiefOf(person)
  await knownForLong(person.id)
  await setEmail(await thiefOf(person))
  expect(await freshOf(person.id)).toEqual(['email'])
  await allowed(own)
})

test('a change and an action that wait for each other: whichever comes first, the action is refused', async () => {
  for (const first of ['change', 'action'] as const) {
    const person = await victim({ password })
    const thief = await thiefOf(person)
    const wanted = await newMobile(thief)
    const calls = {
      change: () => thief.call(changePassword, { password: stolen }),
      action: () => thief.call(changeMobile, wanted),
    }
    const order = first === 'change' ? (['change', 'action'] as const) : (['action', 'change'] as const)
    const answers = await held(t, 'SELECT FROM users WHERE id = $1 FOR UPDATE', [person.id], async (holder) => {
      const one = calls[order[0]]()
      await lockedOut(holder, 1)
      const other = calls[order[1]]()
      await lockedOut(holder, 2)
      return [one, other] as const
    })
    const [one, other] = await Promise.all(answers)
    const [change, action] = first === 'change' ? [one, other] : [other, one]
    expect(change.status).toBe(200)
    expect(action.code).toBe(first === 'change' ? 'SECOND_TOO_FRESH' : 'TWO_FACTOR_REQUIRED')
    expect((await thief.call(userInfo)).data?.mobile).toBe(person.mobile)
  }
})

test('changes, checks and actions at once: none of the actions passes', async () => {
  const person = await victim({ password })
  const thieves = [await thiefOf(person), await thiefOf(person), await thiefOf(person)]
  const rush = thieves.flatMap((thief) => [
    thief.call(changePassword, { password: stolen }),
    thief.call(verifyTwoFactor, { password: stolen }),
    thief.call(exportData),
    thief.call(closeAccount),
  ])
  await Promise.all(rush)
  for (const table of ['data_export', 'deletion'])
    expect((await t.deps.pool.query(`SELECT FROM ${table} WHERE user_id = $1`, [person.id])).rows).toEqual([])
})
