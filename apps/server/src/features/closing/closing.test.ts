import { setUserRights } from '@hufu/contract/merchant-users'
import { closeAccount, keepAccount } from '@hufu/contract/personal-data'
import { changeNickname, userInfo } from '@hufu/contract/profile'
import { verifyTwoFactor } from '@hufu/contract/two-factor'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Member, member, password, signInAgain } from '../../../test/account-user.ts'
import { passClosing, workQueue } from '../../../test/closing.ts'
import { checked, eventsOf, newOperator } from '../../../test/operator.ts'
import {
  fresh,
  messagesTo,
  startTestApp,
  type TestApp,
  type TestBrowser,
  type TestSite,
  times,
} from '../../../test/test-app.ts'
import type { UserId } from '../../platform/ids.ts'
import { createUser } from '../users/users.service.ts'

const week = 7 * 86_400_000

let t: TestApp
let site: TestSite
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite({ name: '青屿生活' })
})
afterAll(() => t.close())

/** A user who has just completed a step-up. */
async function checkedMember(at = site): Promise<Member> {
  const user = await member(t, at)
  await checked(t, user)
  return user
}

const closings = async (id: string): Promise<number> =>
  (await t.deps.pool.query('SELECT FROM deletion WHERE user_id = $1', [id])).rows.length

test('an account is closed seven days ahead by the clock of the store, and the user is shown when', async () => {
  const user = await checkedMember()
  const { status, data } = await user.call(closeAccount)
  expect(status).toBe(200)
  expect(Math.abs((data?.due ?? 0) - Date.now() - week)).toBeLessThan(60_000)
  expect((await user.call(userInfo)).data?.closing).toBe(data?.due)
  expect((await user.call(changeNickname, { nickname: '林知夏' })).status).toBe(200)
  expect((await eventsOf(t, site, user.id)).map(({ event }) => event)).toContain('account.close')
})

test('without a check nothing is closed, whatever a copy in the cache says', async () => {
  const unchecked = await member(t, site)
  expect((await unchecked.call(closeAccount)).code).toBe('TWO_FACTOR_REQUIRED')
  const user = await checkedMember()
  expect((await user.call(userInfo)).data?.twoFactor).toBe(true)
  await t.deps.pool.query('UPDATE session SET two_factor_at = NULL WHERE user_id = $1', [user.id])
  expect((await user.call(closeAccount)).code).toBe('TWO_FACTOR_REQUIRED')
  expect((await t.call(site, closeAccount)).code).toBe('NOT_LOGGED_IN')
  expect(await closings(unchecked.id)).toBe(0)
  expect(await closings(user.id)).toBe(0)
})

test('D073 a new browser that signed in by a code owes a second kind of proof before it closes the account', async () => {
  const names = { mobile: fresh.mobile(), email: fresh.email() }
  const id = await createUser(t.deps, site.id, { ...names, password }, 'test')
  const browser = await t.signIn(site, { mobile: names.mobile })
  await checked(t, browser)
  expect(await browser.call(closeAccount)).toMatchObject({
    code: 'TWO_FACTOR_REQUIRED',
    details: { second: ['password', 'email'] },
  })
  expect(await closings(id)).toBe(0)
  expect((await browser.call(verifyTwoFactor, { password })).status).toBe(200)
  expect((await browser.call(closeAccount)).status).toBe(200)
})

test('D073 an account that has no second kind of proof owes none', async () => {
  const user = await t.signIn(site)
  await checked(t, user)
  expect((await user.call(closeAccount)).status).toBe(200)
})

test('closing ends every other session and renews the own secret', async () => {
  const user = await checkedMember()
  const other = await signInAgain(t, site, user)
  const former = new Map(user.cookies)
  await user.call(closeAccount)
  expect((await other.call(userInfo)).code).toBe('SESSION_REMOVED')
  const stolen = t.browser(site)
  for (const [name, value] of former) stolen.cookies.set(name, value)
  expect((await stolen.call(userInfo)).status).toBe(401)
  expect((await user.call(userInfo)).status).toBe(200)
  const ended = 'SELECT end_reason FROM session WHERE user_id = $1 AND ended_at IS NOT NULL'
  expect((await t.deps.pool.query(ended, [user.id])).rows).toEqual([{ end_reason: 'closing' }])
})

test('every contact is notified of the closing; of keeping the account, the address alone', async () => {
  const at = await t.codeSite()
  const user = await checkedMember(at)
  await user.call(closeAccount)
  expect([await workQueue(t, at, 'mail-notice'), await workQueue(t, at, 'sms-notice')]).toEqual([1, 1])
  const [mail] = await messagesTo(user.email)
  const [text] = await messagesTo(user.mobile)
  for (const told of [mail, text]) expect(told?.text).toContain('申请了注销，将于7天后删除，登录后可以撤销')
  await user.call(keepAccount)
  expect([await workQueue(t, at, 'mail-notice'), await workQueue(t, at, 'sms-notice')]).toEqual([1, 0])
  expect((await messagesTo(user.email))[0]?.text).toContain('撤销了注销申请')
})

test('of many who close it at once one does, and there is one notice', async () => {
  const at = await t.codeSite()
  const user = await checkedMember(at)
  const answers = await Promise.all(times(10, () => user.call(closeAccount)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(await closings(user.id)).toBe(1)
  expect(await workQueue(t, at, 'mail-notice')).toBe(1)
  expect((await user.call(closeAccount)).code).toBe('CLOSING_ALREADY')
})

test('only asking for it keeps the account: signing in again does not', async () => {
  const user = await checkedMember()
  await user.call(closeAccount)
  const again = await signInAgain(t, site, user)
  expect((await again.call(userInfo)).data?.closing).toEqual(expect.any(Number))
  expect(await again.call(keepAccount)).toMatchObject({ status: 200, data: null })
  expect((await user.call(userInfo)).data?.closing).toBeNull()
  expect((await again.call(keepAccount)).code).toBe('CLOSING_NONE')
  expect((await eventsOf(t, site, user.id)).map(({ event }) => event)).toContain('account.keep')
  // It can be closed again, for seven days more.
  expect((await user.call(closeAccount)).status).toBe(200)
})

test('of many who keep it at once one does', async () => {
  const user = await checkedMember()
  await user.call(closeAccount)
  const answers = await Promise.all(times(10, () => user.call(keepAccount)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ code }) => code === 'CLOSING_NONE')).toHaveLength(9)
})

test('a second before its end the account can be kept, from then on nothing can', async () => {
  const early = await checkedMember()
  await early.call(closeAccount)
  await passClosing(t, early.id, '6 days 23 hours 59 minutes 50 seconds')
  expect((await early.call(keepAccount)).status).toBe(200)
  const late = await checkedMember()
  await late.call(closeAccount)
  await passClosing(t, late.id, '7 days')
  expect((await late.call(keepAccount)).code).toBe('SESSION_REMOVED')
  expect(await closings(late.id)).toBe(1)
})

const admin = (at: TestSite) => newOperator(t, at, ['READ', 'ADMIN'])

test('the last ADMIN stays, and one who is leaving is no other', async () => {
  const at = await t.codeSite()
  const one = await admin(at)
  expect((await one.call(closeAccount)).code).toBe('LAST_ADMIN')
  const two = await admin(at)
  expect((await one.call(closeAccount)).status).toBe(200)
  expect((await two.call(closeAccount)).code).toBe('LAST_ADMIN')
  // One who is closing their account has every right until then, but doesn't count as the last ADMIN.
  await checked(t, one)
  expect((await one.call(setUserRights, { id: two.id, actions: ['READ'] })).code).toBe('LAST_ADMIN')
  await one.call(keepAccount)
  expect((await two.call(closeAccount)).status).toBe(200)
})

async function closeBoth(one: TestBrowser, two: TestBrowser, ids: UserId[]): Promise<void> {
  const answers = await Promise.all([one.call(closeAccount), two.call(closeAccount)])
  expect(answers.map(({ code }) => code ?? 'closed').sort()).toEqual(['LAST_ADMIN', 'closed'])
  await t.deps.pool.query('DELETE FROM deletion WHERE user_id = ANY($1)', [ids])
}

test('two ADMINs who leave at once: one does, 20 times', { timeout: 60_000 }, async () => {
  const at = await t.codeSite()
  const [one, two] = [await admin(at), await admin(at)]
  for (const _round of times(20, () => 0)) await closeBoth(one, two, [one.id, two.id])
})
