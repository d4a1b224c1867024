import type { Endpoint } from '@hufu/contract/endpoint'
import { endpoints } from '@hufu/contract/endpoints'
import { sendFeedback, unreadFeedback } from '@hufu/contract/feedback'
import { exportFilePath } from '@hufu/contract/merchant-rights'
import { queryUsers } from '@hufu/contract/merchant-users'
import { pages } from '@hufu/contract/pages'
import { userInfo } from '@hufu/contract/profile'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { enrol, withGrace } from '../../test/enrolled.ts'
import { newOperator, type Operator } from '../../test/operator.ts'
import { startTestApp, type TestApp, type TestSite } from '../../test/test-app.ts'
import { newWechat } from '../../test/wechat-phone.ts'
import type { SessionId } from '../platform/ids.ts'
import { invalidateSessions } from '../shared/sessions/sessions.ts'

let t: TestApp
let site: TestSite
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite({ wechat: await newWechat() })
})
afterAll(() => t.close())

const merchantCalls = (endpoints as readonly Endpoint[]).filter(({ access }) => access.startsWith('merchant'))

const fileOf = async (app: TestApp, at: TestSite, { cookies }: Operator) => {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const headers = { host: at.host, 'sec-fetch-site': 'same-origin', cookie }
  return (await app.app.inject({ url: `${exportFilePath}?id=x`, headers })).json()
}

/** A factor that was proved so long ago. */
async function rewind({ id }: Operator, hours: number): Promise<void> {
  const { rows } = await t.deps.pool.query<{ id: SessionId }>(
    'UPDATE session SET factor_at = now() - make_interval(hours => $2) WHERE user_id = $1 RETURNING id',
    [id, hours],
  )
  await invalidateSessions(
    t.deps,
    site.id,
    id,
    rows.map((row) => row.id),
  )
}

test('D146 every merchant call and the export file of an operator without a factor answer the way to enrol', async () => {
  const operator = await newOperator(t, site, ['READ', 'WRITE', 'ADMIN'], { factor: false })
  const refused = { code: 'FACTOR_ENROL_REQUIRED', details: { path: pages.protection } }
  expect(merchantCalls.length).toBeGreaterThan(30)
  for (const call of merchantCalls)
    expect(await operator.call(call, {}), call.path).toMatchObject({ status: 403, ...refused })
  expect(await fileOf(t, site, operator)).toMatchObject(refused)
  expect((await operator.call(userInfo)).data).toMatchObject({ protected: false, enrolBy: 0 })
})

test('D146 without a factor the same account is a customer like any other', async () => {
  const own = await t.codeSite()
  const operator = await newOperator(t, own, ['READ', 'WRITE'], { factor: false })
  const user = await t.signIn(own)
  await user.call(sendFeedback, { message: '杯子碎了' })
  const before = (await operator.call(unreadFeedback)).data
  await enrol(t.deps, own.id, operator.id)
  const after = (await operator.call(unreadFeedback)).data
  expect([before, after]).toMatchObject([{ merchant: 0 }, { merchant: 1 }])
  expect((await operator.call(queryUsers, {})).status).toBe(200)
})

test('D148 a factor opens the back-office for twelve hours; the session of the customer stays', async () => {
  const operator = await newOperator(t, site, ['READ', 'WRITE', 'ADMIN'])
  await rewind(operator, 11)
  expect((await operator.call(queryUsers, {})).status).toBe(200)
  await rewind(operator, 13)
  for (const call of merchantCalls)
    expect(await operator.call(call, {}), call.path).toMatchObject({
      status: 403,
      code: 'TWO_FACTOR_REQUIRED',
      details: { factor: true },
    })
  expect(await fileOf(t, site, operator)).toMatchObject({ code: 'TWO_FACTOR_REQUIRED', details: { factor: true } })
  expect((await operator.call(userInfo)).data).toMatchObject({ id: operator.id, enrolBy: null })
})

test('D147 within the grace an operator without a factor works, and sees by when to enrol', async () => {
  const own = await startTestApp(withGrace())
  const at = await own.codeSite()
  const operator = await newOperator(own, at, ['READ', 'ADMIN'], { factor: false })
  const enrolled = await newOperator(own, at, ['READ', 'ADMIN'])
  const { config } = own.deps
  expect((await operator.call(queryUsers, {})).status).toBe(200)
  expect((await operator.call(userInfo)).data).toMatchObject({ enrolBy: config.operatorFactorGrace })
  expect((await (await own.signIn(at)).call(userInfo)).data).toMatchObject({ protected: false, enrolBy: null })
  // One who has a factor proves it.
  await own.deps.pool.query('UPDATE session SET factor_at = NULL WHERE user_id = $1', [enrolled.id])
  expect((await enrolled.call(queryUsers, {})).code).toBe('TWO_FACTOR_REQUIRED')
  config.operatorFactorGrace = own.deps.clock.now() - 1
  expect((await operator.call(queryUsers, {})).code).toBe('FACTOR_ENROL_REQUIRED')
  await own.close()
})
