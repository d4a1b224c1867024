import { changeEmail, changeMobile, changePassword, changeUsername } from '@hufu/contract/account'
import { loginByPassword } from '@hufu/contract/login'
import { exportUsers } from '@hufu/contract/merchant-users'
import { closeAccount, exportData } from '@hufu/contract/personal-data'
import { userInfo } from '@hufu/contract/profile'
import { sendTwoFactorEmailCode, twoFactorState, verifyTwoFactor } from '@hufu/contract/two-factor'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newEmail, newMobile, password, stepUp } from '../../../test/account-user.ts'
import { withGrace } from '../../../test/enrolled.ts'
import { codeTo, fresh, startTestApp, type TestApp, type TestBrowser, type TestSite } from '../../../test/test-app.ts'
import { newWechat, personal, through } from '../../../test/wechat-phone.ts'
import type { UserId } from '../../platform/ids.ts'
import { createUser, grant } from '../users/users.service.ts'

let t: TestApp
/** Of the account that a test is about: each has one of its own, for the simulated WeChat has few users. */
let site: TestSite
beforeAll(async () => {
  t = await startTestApp(withGrace())
})
afterAll(() => t.close())

const another = 'Neu#2026pass'

interface Account {
  id: UserId
  mobile: string
}

/** An account with a number and whatever else. */
async function account(own: { email?: string; password?: string }): Promise<Account> {
  site = await t.codeSite({ wechat: { ...(await newWechat()) } })
  const mobile = fresh.mobile()
  return { mobile, id: await createUser(t.deps, site.id, { mobile, ...own }, 'test') }
}

/** A browser that is new to the account, with a sign-in and a step-up by texted codes. */
async function byNumber({ mobile }: Account): Promise<TestBrowser> {
  await t.passMinute(site, `+86${mobile}`)
  const browser = await t.signIn(site, { mobile })
  await stepUp(t, site, browser, mobile)
  return browser
}

type Answered = { status: number; code?: string | undefined; details?: unknown }

const outcomeOf = (address: string): Answered => {
  const code = /wechat=([A-Z_]+)$/.exec(address)?.[1]
  return code ? { status: 403, code } : { status: 200 }
}

/** Everything that a texted code alone must not do. Those that end what others need come last. */
const actions: Record<string, (browser: TestBrowser) => Promise<Answered>> = {
  username: (browser) => browser.call(changeUsername, { username: fresh.username() }),
  email: async (browser) => browser.call(changeEmail, await newEmail(browser)),
  mobile: async (browser) => browser.call(changeMobile, await newMobile(browser)),
  password: (browser) => browser.call(changePassword, { password: another }),
  bind: async (browser) => outcomeOf(await through(browser, await personal(browser, 'binding'), 'chen')),
  unbind: async (browser) => outcomeOf(await browser.go(await personal(browser, 'unbinding'))),
  export: (browser) => browser.call(exportData),
  close: (browser) => browser.call(closeAccount),
}

const stateOf = async (id: UserId) => {
  const { rows } = await t.deps.pool.query(
    `SELECT row_to_json(u)::text || (SELECT json_agg(i ORDER BY kind)::text FROM user_identity i WHERE i.user_id = u.id)
      || coalesce((SELECT secret FROM credential c WHERE c.user_id = u.id), '') AS state FROM users u WHERE id = $1`,
    [id],
  )
  return rows[0].state as string
}

async function refused(browser: TestBrowser, code: string, but: string[] = []): Promise<void> {
  for (const [name, act] of Object.entries(actions))
    if (!but.includes(name)) expect(await act(browser), name).toMatchObject({ status: 403, code })
}

async function allowed(browser: TestBrowser): Promise<void> {
  for (const [name, act] of Object.entries(actions)) expect((await act(browser)).status, name).toBe(200)
}

/** All browsers that the account has met so far. */
const knownForLong = (id: UserId) =>
  t.deps.pool.query("UPDATE known_browser SET first_seen = now() - interval '73 hours' WHERE user_id = $1", [id])

describe('a browser first seen within 72 hours', () => {
  test('D073 D084 changes nothing by texted codes alone, and everything after one more kind', async () => {
    const user = await account({ password })
    const browser = await byNumber(user)
    const before = await stateOf(user.id)
    await refused(browser, 'TWO_FACTOR_REQUIRED')
    expect(await stateOf(user.id)).toBe(before)
    expect((await browser.call(changePassword, { password: another })).details).toEqual({ second: ['password'] })
    expect((await browser.call(verifyTwoFactor, { password })).status).toBe(200)
    await allowed(browser)
  })

  test('D084 a mailed code is such a kind', async () => {
    const email = fresh.email()
    const browser = await byNumber(await account({ email }))
    await refused(browser, 'TWO_FACTOR_REQUIRED')
    await browser.call(sendTwoFactorEmailCode)
    expect((await browser.call(verifyTwoFactor, { code: await codeTo(email), way: 'email' })).status).toBe(200)
    await allowed(browser)
  })

  test('D084 an account that has a number alone owes nothing', async () => {
    const browser = await byNumber(await account({}))
    expect((await browser.call(changeUsername, { username: fresh.username() })).status).toBe(200)
    expect((await browser.call(changePassword, { password: another })).status).toBe(200)
    // From now on it has another kind.
    expect((await browser.call(changeUsername, { username: fresh.username() })).code).toBe('TWO_FACTOR_REQUIRED')
    expect((await browser.call(verifyTwoFactor, { password: another })).status).toBe(200)
    expect((await browser.call(changeUsername, { username: fresh.username() })).status).toBe(200)
  })

  test('D084 one that signed in by password has given it', async () => {
    const user = await account({ password })
    const browser = t.browser(site)
    expect((await browser.call(loginByPassword, { account: user.mobile, password })).status).toBe(200)
    await stepUp(t, site, browser, user.mobile)
    await allowed(browser)
  })
})

test('D084 a browser that is known for longer owes nothing', async () => {
  const user = await account({ password })
  const browser = await byNumber(user)
  await knownForLong(user.id)
  await allowed(browser)
})

const freshUntil = (id: UserId, interval: string) =>
  t.deps.pool.query('UPDATE users SET password_fresh_until = now() + $2::interval WHERE id = $1', [id, interval])

test('D073 a kind that version 0.1.0 marked as fresh counts when its time has come', async () => {
  const user = await account({ password })
  const browser = await byNumber(user)
  await freshUntil(user.id, '71 hours')
  expect((await browser.call(verifyTwoFactor, { password })).status).toBe(200)
  await refused(browser, 'SECOND_TOO_FRESH')
  expect((await browser.call(twoFactorState)).data).toEqual({ twoFactor: true, way: 'mobile', second: [], factors: [] })
  await freshUntil(user.id, '-1 second')
  await refused(browser, 'TWO_FACTOR_REQUIRED')
  expect((await browser.call(verifyTwoFactor, { password })).status).toBe(200)
  await allowed(browser)
})

test('D073 an operator in a new browser exports no users either, and it is said until when', async () => {
  const user = await account({ password })
  // Of the roll-out: without a second factor yet.
  await grant(t.deps, site.id, user.id as UserId, 'MERCHANT', ['READ', 'ADMIN'], 'test')
  const browser = await byNumber(user)
  expect((await browser.call(exportUsers, {})).details).toEqual({ second: ['password'] })
  await freshUntil(user.id, '71 hours')
  const answer = await browser.call(exportUsers, {})
  expect(answer).toMatchObject({ status: 403, code: 'SECOND_TOO_FRESH' })
  expect(Math.abs(Number(answer.details?.until) - Date.now() - 71 * 3_600_000)).toBeLessThan(60_000)
})

test('changes and checks with a wrong password at once: none of the changes passes', async () => {
  const user = await account({ password })
  const browsers = [await byNumber(user), await byNumber(user), await byNumber(user)]
  const before = await stateOf(user.id)
  const rush = browsers.flatMap((browser) => [
    browser.call(changePassword, { password: another }),
    browser.call(verifyTwoFactor, { password: another }),
    browser.call(exportData),
    browser.call(closeAccount),
  ])
  await Promise.all(rush)
  for (const table of ['data_export', 'deletion'])
    expect((await t.deps.pool.query(`SELECT FROM ${table} WHERE user_id = $1`, [user.id])).rows).toEqual([])
  expect(await stateOf(user.id)).toBe(before)
  expect((await browsers[0]?.call(userInfo))?.data?.mobile).toBe(user.mobile)
})
