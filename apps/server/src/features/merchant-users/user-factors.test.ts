import { changePassword } from '@hufu/contract/account'
import { addPasskey, beginPasskey, factorState } from '@hufu/contract/factors'
import { loginByPassword } from '@hufu/contract/login'
import { queryUsers, readUser, resetOperatorFactors, setUserRights, userExports } from '@hufu/contract/merchant-users'
import { queryOperatorLog } from '@hufu/contract/operators'
import { userInfo } from '@hufu/contract/profile'
import { verifyTwoFactor } from '@hufu/contract/two-factor'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { softwarePasskey } from '../../../../../tools/simulators/software-passkey.ts'
import { member, password, stepUp } from '../../../test/account-user.ts'
import { enrol } from '../../../test/enrolled.ts'
import { checked, eventsOf, newOperator, type Operator } from '../../../test/operator.ts'
import { startTestApp, type TestApp, type TestSite, times } from '../../../test/test-app.ts'
import type { UserId } from '../../platform/ids.ts'
import { grant } from '../users/users.service.ts'

let t: TestApp
let site: TestSite
let admin: Operator
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite()
  admin = await newOperator(t, site, ['READ', 'ADMIN'])
})
afterAll(() => t.close())

const reason = '手机丢失，已当面核对工牌'
const reset = (id: string, by: Operator = admin) => by.call(resetOperatorFactors, { id, reason })

/** Signs in again by password, after a reset, with a step-up. */
async function returns({ username }: Operator) {
  const browser = t.browser(site)
  expect((await browser.call(loginByPassword, { account: username, password })).status).toBe(200)
  await checked(t, browser)
  return browser
}

async function mailsTo(email: string): Promise<string[]> {
  const { rows } = await t.deps.pool.query(
    "SELECT data->>'subject' AS subject FROM pgboss.job WHERE name = 'mail-notice' AND data->>'to' = $1",
    [email],
  )
  return rows.map(({ subject }) => subject)
}

test('D149 an ADMIN resets the factors of another operator: sessions end, all is recorded and announced', async () => {
  const operator = await newOperator(t, site, ['READ', 'WRITE'])
  expect((await operator.call(userInfo)).status).toBe(200)
  const { status, data } = await reset(operator.id)
  expect(status).toBe(200)
  expect(data?.enrolment).toMatch(/^\w{4}-\w{4}-\w{4}$/)
  expect(Math.abs((data?.expires ?? 0) - Date.now() - 15 * 60_000)).toBeLessThan(60_000)
  expect((await operator.call(userInfo)).code).toBe('SESSION_REMOVED')
  const { data: user } = await admin.call(readUser, { id: operator.id })
  expect(user?.factors).toEqual({ passkeys: 0, totp: false, recovery: 0 })
  expect((await eventsOf(t, site, operator.id)).map(({ event }) => event)).toContain('factor.reset')
  const { data: log } = await admin.call(queryOperatorLog, { action: 'user.resetFactors' })
  expect(log?.data[0]).toMatchObject({ operator: { id: admin.id }, person: { id: operator.id }, detail: { reason } })
  expect(JSON.stringify(log)).not.toContain(data?.enrolment)
  expect(await mailsTo(operator.email)).toContain('您的账号由管理员重置了登录保护')
  expect(await mailsTo(admin.email)).toContain('后台成员的登录保护被重置')
})

test('D149 after it only the code lets the account enrol, once', async () => {
  const operator = await newOperator(t, site, ['READ'])
  const enrolment = (await reset(operator.id)).data?.enrolment ?? ''
  const browser = await returns(operator)
  expect((await browser.call(queryUsers, {})).code).toBe('FACTOR_ENROL_REQUIRED')
  expect((await browser.call(factorState)).data).toMatchObject({ protected: false, enrolment: true })
  expect((await browser.call(beginPasskey, {})).code).toBe('ENROLMENT_REQUIRED')
  expect((await browser.call(beginPasskey, { enrolment: 'AAAA-BBBB-CCCC' })).code).toBe('FACTOR_WRONG')
  const { data: options = {} } = await browser.call(beginPasskey, { enrolment })
  const passkey = softwarePasskey(site.origin).create(options)
  expect((await browser.call(addPasskey, { passkey })).code).toBe('ENROLMENT_REQUIRED')
  const added = await browser.call(addPasskey, { passkey, enrolment: enrolment.toLowerCase().replaceAll('-', ' ') })
  expect(added.data?.recoveryCodes).toHaveLength(10)
  expect((await browser.call(queryUsers, {})).status).toBe(200)
  expect((await browser.call(factorState)).data?.enrolment).toBe(false)
})

test('D149 an expired code is worth nothing, and the account still needs one', async () => {
  const operator = await newOperator(t, site, ['READ'])
  const enrolment = (await reset(operator.id)).data?.enrolment ?? ''
  await t.deps.pool.query('UPDATE enrolment_ticket SET expires_at = now() WHERE user_id = $1', [operator.id])
  const browser = await returns(operator)
  expect((await browser.call(beginPasskey, { enrolment })).code).toBe('FACTOR_WRONG')
  expect((await browser.call(beginPasskey, {})).code).toBe('ENROLMENT_REQUIRED')
})

test('D149 guesses of the code are counted: of 40 at once five are compared', async () => {
  const operator = await newOperator(t, site, ['READ'])
  await reset(operator.id)
  const browser = await returns(operator)
  const guesses = await Promise.all(times(40, () => browser.call(beginPasskey, { enrolment: 'AAAA-BBBB-CCCC' })))
  expect(guesses.filter(({ code }) => code === 'FACTOR_WRONG')).toHaveLength(5)
  expect(guesses.filter(({ code }) => code === 'FACTOR_PAUSED')).toHaveLength(35)
})

test('D149 not of oneself, not of a customer, not without ADMIN and a step-up', async () => {
  const operator = await newOperator(t, site, ['READ'])
  const customer = await member(t, site)
  await enrol(t.deps, site.id, customer.id)
  expect((await reset(admin.id)).code).toBe('OWN_ACCOUNT')
  expect((await reset(customer.id)).code).toBe('FORBIDDEN')
  expect((await admin.call(readUser, { id: customer.id })).data?.factors.totp).toBe(true)
  expect((await reset(admin.id, operator)).code).toBe('FORBIDDEN')
  const unchecked = await newOperator(t, site, ['READ', 'ADMIN'], { check: false })
  expect(await reset(operator.id, unchecked)).toMatchObject({ code: 'TWO_FACTOR_REQUIRED', details: { factor: true } })
  const elsewhere = await newOperator(t, await t.codeSite(), ['READ', 'ADMIN'])
  expect((await reset(operator.id, elsewhere)).code).toBe('NOT_FOUND')
  expect((await operator.call(queryUsers, {})).status).toBe(200)
})

test('D149 an ADMIN who lost the right resets nothing, whatever the cache says', async () => {
  const [second, operator] = [await newOperator(t, site, ['READ', 'ADMIN']), await newOperator(t, site, ['READ'])]
  expect((await second.call(userExports)).status).toBe(200)
  await t.deps.pool.query("DELETE FROM permission WHERE user_id = $1 AND action = 'ADMIN'", [second.id])
  expect((await reset(operator.id, second)).code).toBe('FORBIDDEN')
  expect((await operator.call(queryUsers, {})).status).toBe(200)
})

test('D149 a thief of the number of an operator without another proof sets a password first, and still needs the code', async () => {
  const thief = await t.signIn(site)
  await grant(t.deps, site.id, thief.id as UserId, 'MERCHANT', ['READ'], 'test')
  await stepUp(t, site, thief, thief.mobile)
  expect((await thief.call(beginPasskey, {})).code).toBe('ENROLMENT_REQUIRED')
  expect((await thief.call(changePassword, { password })).status).toBe(200)
  expect((await thief.call(verifyTwoFactor, { password })).status).toBe(200)
  expect((await thief.call(beginPasskey, {})).code).toBe('ENROLMENT_REQUIRED')
  // The owner, whose browser is known for longer or whose password is older, needs none.
  await t.deps.pool.query('UPDATE account_change SET expires_at = now() WHERE user_id = $1', [thief.id])
  expect((await thief.call(beginPasskey, {})).status).toBe(200)
})

test('D152 rows, filter and page of users show who is protected', async () => {
  const at = await t.codeSite()
  const boss = await newOperator(t, at, ['READ', 'ADMIN'])
  const bare = await newOperator(t, at, ['READ'], { factor: false })
  const blind = await newOperator(t, at, ['WRITE'], { factor: false })
  await member(t, at)
  const rows = (await boss.call(queryUsers, { only: 'operators' })).data?.data ?? []
  expect(new Map(rows.map((row) => [row.id, row.protected]))).toEqual(
    new Map([
      [boss.id, true],
      [bare.id, false],
    ]),
  )
  const unprotected = await boss.call(queryUsers, { only: 'unprotectedOperators' })
  expect(unprotected.data).toMatchObject({ count: 2, more: false })
  expect(unprotected.data?.data.map(({ id }) => id).sort()).toEqual([bare.id, blind.id].sort())
  expect((await boss.call(readUser, { id: boss.id })).data?.factors).toEqual({ passkeys: 0, totp: true, recovery: 0 })
  await boss.call(setUserRights, { id: bare.id, actions: [] })
  expect((await boss.call(queryUsers, { only: 'unprotectedOperators' })).data?.count).toBe(1)
})
