import type { Endpoint } from '@hufu/contract/endpoint'
import { loginByMobile } from '@hufu/contract/login'
import { exportFilePath } from '@hufu/contract/merchant-rights'
import {
  exportUsers,
  queryUsers,
  readUser,
  revealUser,
  setUserRights,
  setUserStatus,
  userExports,
} from '@hufu/contract/merchant-users'
import { merchantHome } from '@hufu/contract/statistics'
import { verifyTwoFactor } from '@hufu/contract/two-factor'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { grant } from '../../apps/server/src/features/users/users.service.ts'
import { withGrace } from '../../apps/server/test/enrolled.ts'
import { messagesTo, type TestSite } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { askCode, type Browser, type Harness, number, type User } from '../harness/harness.ts'
import { passCheck } from './checks.ts'
import { guardedActions } from './guarded-actions.ts'
import { startWithWorker, type WithWorker } from './with-worker.ts'

let t: Harness
let product: WithWorker
let site: TestSite
beforeAll(async () => {
  // Operators without a second factor are admitted during the roll-out alone; a43-enrolled-operators has the others.
  product = await startWithWorker(withGrace())
  t = product.t
  site = await t.codeSite()
})
afterAll(() => product.stop())

type Operator = Awaited<ReturnType<Harness['user']>>

async function admin(): Promise<Operator> {
  const user = await t.user(site)
  await grant(t.deps, site.id, user.id, 'MERCHANT', ['READ', 'WRITE', 'ADMIN'], 'attack')
  return user
}

/** A new browser with the operator's number and any number of its SMS codes. */
async function byNumber(mobile: string): Promise<Browser> {
  const browser = t.browser(site)
  await t.passMinute(site, `+86${mobile}`)
  const { status, body } = await browser.call(loginByMobile, {
    ...number(mobile),
    code: await askCode(browser, mobile),
  })
  expect(status, body).toBe(200)
  await passCheck(t, site, browser, mobile)
  await passCheck(t, site, browser, mobile)
  return browser
}

async function passing(browser: Browser, calls: [Endpoint, object][]): Promise<string[]> {
  const passed: string[] = []
  for (const [endpoint, input] of calls) {
    const { status, code } = await browser.post(endpoint.path, JSON.stringify(input))
    if (code !== 'TWO_FACTOR_REQUIRED') passed.push(`${endpoint.path} ${status} ${code ?? ''}`)
  }
  return passed
}

test('A43 D081 an operator’s SMS codes in a new browser grant, export, release, reveal and reconfigure nothing', async () => {
  const [operator, second] = [await admin(), await t.user(site)]
  const thief = await byNumber(operator.mobile)
  const calls = guardedActions(operator.id, second.id)
  const passed = await passing(thief, calls)
  for (const line of passed) console.log(`A43: ${line}`)
  figure('actions tried', calls.length, ['>=', 11])
  figure('actions done by SMS codes alone', passed.length, ['=', 0])
  // Nor of the second account, which the thief owns and which owes no second proof.
  const { rows } = await t.deps.pool.query('SELECT FROM permission WHERE site_id = $1 AND user_id = $2', [
    site.id,
    second.id,
  ])
  expect(rows).toEqual([])
  expect((await thief.call(readUser, { id: second.id })).data).toMatchObject({
    mobile: `${second.mobile.slice(0, 3)}****${second.mobile.slice(-4)}`,
    email: `${second.email.slice(0, 2)}****@example.com`,
  })
  const found = await thief.call(queryUsers, { search: second.mobile, top: 5, skip: 0 })
  expect(JSON.stringify(found.data)).not.toContain(second.mobile)
})

/** The operator themselves, by both kinds of proof. */
async function proved(operator: Operator): Promise<Browser> {
  const browser = await byNumber(operator.mobile)
  expect((await browser.call(verifyTwoFactor, { password: operator.password })).status).toBe(200)
  return browser
}

const mailed = async (to: string, words: string) => (await messagesTo(to)).filter(({ text }) => text.includes(words))

test('A43 D088 every ADMIN is notified of a grant and of an export, by mail and in the back-office', async () => {
  const [operator, other, user] = [await admin(), await admin(), await t.user(site)]
  const browser = await proved(operator)
  expect((await browser.call(setUserRights, { id: user.id, actions: ['READ', 'ADMIN'] })).status).toBe(200)
  expect((await browser.call(exportUsers, {})).status).toBe(200)
  for (const { email } of [operator, other]) {
    await expect.poll(async () => (await mailed(email, '授予')).length, { timeout: 30_000 }).toBe(1)
    await expect.poll(async () => (await mailed(email, '导出了')).length, { timeout: 30_000 }).toBe(1)
  }
  await expect
    .poll(async () => (await browser.call(merchantHome)).data?.attention.map(({ kind }) => kind), { timeout: 30_000 })
    .toEqual(expect.arrayContaining(['granted', 'exported']))
})

test('A43 D088 a new ADMIN exports nothing for 72 hours, and everything afterwards', async () => {
  const [operator, user] = [await admin(), await t.user(site)]
  const browser = await proved(operator)
  expect((await browser.call(setUserRights, { id: user.id, actions: ['ADMIN'] })).status).toBe(200)
  const fresh = await proved(user)
  const answer = await fresh.call(exportUsers, {})
  expect(answer).toMatchObject({ status: 403, code: 'OPERATOR_TOO_NEW' })
  expect(Math.abs(Number(answer.details.until) - Date.now() - 72 * 3_600_000)).toBeLessThan(60_000)
  // Setting the same right again doesn't begin anew, and other rights are no way around.
  await t.deps.pool.query("UPDATE permission SET granted_at = granted_at - interval '73 hours' WHERE user_id = $1", [
    user.id,
  ])
  expect((await browser.call(setUserRights, { id: user.id, actions: ['WRITE', 'ADMIN'] })).status).toBe(200)
  expect((await fresh.call(exportUsers, {})).status).toBe(200)
})

test('A43 the file of an export needs the same identity proof for each download', async () => {
  const operator = await admin()
  const browser = await proved(operator)
  const begun = await browser.call(exportUsers, {})
  expect(begun.status).toBe(200)
  const done = async () => (await browser.call(userExports)).data?.data[0]?.status
  await expect.poll(done, { timeout: 60_000 }).toBe('done')
  const file = `${exportFilePath}?id=${begun.data?.id}`
  const fetchFile = async (by: Browser) => (await by.get(file)).status
  expect(await fetchFile(browser)).toBe(200)
  // The same operator's number in another new browser, and this browser ten minutes later.
  expect(await fetchFile(await byNumber(operator.mobile))).toBe(403)
  await t.deps.pool.query(
    "UPDATE session SET two_factor_at = two_factor_at - interval '11 minutes' WHERE user_id = $1",
    [operator.id],
  )
  expect(await fetchFile(browser)).toBe(403)
})

test('A43 D066 each revealed field is recorded with its name, and nothing else is shown', async () => {
  const [operator, user] = [await admin(), await t.user(site)]
  const browser = (await proved(operator)) as Browser & Partial<User>
  const answer = await browser.call(revealUser, { id: user.id, field: 'mobile' })
  expect(answer.data).toEqual({ value: user.mobile })
  const { rows } = await t.deps.pool.query(
    "SELECT operator, target, detail FROM operator_log WHERE site_id = $1 AND action = 'user.reveal' AND target = $2",
    [site.id, user.id],
  )
  expect(rows).toEqual([{ operator: operator.id, target: user.id, detail: { field: 'mobile' } }])
})

test('A43 taking rights from an operator, disabling them and the like need the same identity proof', async () => {
  const [operator, other] = [await admin(), await admin()]
  const thief = await byNumber(operator.mobile)
  const passed = await passing(thief, [
    [setUserRights, { id: other.id, actions: [] }],
    [setUserStatus, { id: other.id, status: 'disabled' }],
  ])
  expect(passed).toEqual([])
})
