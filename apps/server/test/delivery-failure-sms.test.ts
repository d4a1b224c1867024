import { sendEmailCode, sendMobileCode } from '@hufu/contract/verify-code'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoSms } from '../../../tools/simulators/demo-gateways.ts'
import type { Fault } from '../../../tools/simulators/faults.ts'
import { type Simulators, startSimulators } from '../../../tools/simulators/start-simulators.ts'
import { smsNoticeJob } from '../src/shared/notices/sms-notices.ts'
import { member } from './account-user.ts'
import { deliveryFailuresOf } from './delivery-failures.ts'
import { solving } from './pow-solution.ts'
import { fresh, startTestApp, type TestApp, type TestSite, times, wideLimits } from './test-app.ts'

const [aliyun, tencent] = demoSms.gateways
if (!aliyun || !tencent) throw new Error('two gateways')

let simulators: Simulators
let t: TestApp
beforeAll(async () => {
  simulators = await startSimulators()
  t = await startTestApp({
    HUFU_ALIYUN_SMS_URL: simulators.aliyunUrl,
    HUFU_TENCENT_SMS_URL: simulators.tencentUrl,
  })
})
afterAll(async () => {
  await t.close()
  await simulators.stop()
})

const order = (url: string, fault: Fault) => fetch(`${url}/control`, { method: 'POST', body: JSON.stringify(fault) })
const ask = (site: TestSite, mobile = fresh.mobile()) => {
  const browser = t.browser(site)
  return solving((proof) => browser.call(sendMobileCode, { mobilePrefix: '86', mobile, proof }))
}

test.each([
  ['isv.MOBILE_NUMBER_ILLEGAL', {}],
  ['isv.BUSINESS_LIMIT_CONTROL', {}],
  ['isv.DAY_LIMIT_CONTROL', { smsFailed: [1, null] }],
  ['isv.OUT_OF_SERVICE', { smsFailed: [1, null] }],
])('Aliyun refuses with %s', async (code, failures) => {
  const site = await t.codeSite({ sms: { gateways: [aliyun] } })
  await order(simulators.aliyunUrl, { mode: 'refuse', code, count: 1 })
  expect((await ask(site)).code).toBe('CODE_SEND_FAILED')
  expect(await deliveryFailuresOf(t, site)).toEqual(failures)
})

test.each([
  ['FailedOperation.PhoneNumberInBlacklist', {}],
  ['InvalidParameterValue.IncorrectPhoneNumber', {}],
  ['LimitExceeded.PhoneNumberDailyLimit', {}],
  ['LimitExceeded.AppDailyLimit', { smsFailed: [1, null] }],
])('Tencent Cloud refuses with %s', async (code, failures) => {
  const site = await t.codeSite({ sms: { gateways: [tencent] } })
  await order(simulators.tencentUrl, { mode: 'refuse', code, count: 1 })
  expect((await ask(site)).code).toBe('CODE_SEND_FAILED')
  expect(await deliveryFailuresOf(t, site)).toEqual(failures)
})

test('a carrier’s limit is no failure, unless the other gateway can’t be used at all', async () => {
  const broken = { ...tencent, secret: 'wrong' }
  const half = { ...tencent, templates: {} }
  const sites = await Promise.all(
    [[aliyun], [aliyun, half], [half, aliyun], [aliyun, broken], [broken, aliyun]].map((gateways) =>
      t.codeSite({ sms: { gateways } }),
    ),
  )
  const mobile = fresh.mobile()
  expect((await ask(await t.codeSite({ sms: { gateways: [aliyun] } }), mobile)).status).toBe(200)
  for (const site of sites) expect((await ask(site, mobile)).code).toBe('CODE_SEND_FAILED')
  const seen = await Promise.all(sites.map((site) => deliveryFailuresOf(t, site)))
  const failed = { smsFailed: [1, null] }
  expect(seen).toEqual([{}, {}, {}, failed, failed])
})

test('a gateway that doesn’t confirm a code is a failure, though the user waits for it', async () => {
  const site = await t.codeSite()
  await order(simulators.aliyunUrl, { mode: 'fail', count: 1 })
  expect((await ask(site)).status).toBe(200)
  expect(await deliveryFailuresOf(t, site)).toEqual({ smsFailed: [1, null] })
})

test('a notice that its number can’t get is no failure, and costs nothing', async () => {
  const site = await t.codeSite({ sms: { gateways: [aliyun] } })
  const notice = {
    siteId: site.id,
    prefix: '86',
    mobile: fresh.mobile(),
    time: '11月15日 17:00',
    event: '修改了登录密码',
  }
  await order(simulators.aliyunUrl, { mode: 'refuse', code: 'isv.MOBILE_NUMBER_ILLEGAL', count: 1 })
  await smsNoticeJob(t.deps).run(notice)
  expect(await deliveryFailuresOf(t, site)).toEqual({})
  expect(await t.deps.redis.get(`{code:${site.id}:s}`)).toBe('0')
})

test('codes that are refused for lack of quota are counted, all at once too; a user’s own limit isn’t one', async () => {
  const prefix = await t.codeSite({ limits: { ...wideLimits, prefixDay: 5 } })
  const mobile = fresh.mobile()
  await ask(prefix, mobile)
  expect((await ask(prefix, mobile)).code).toBe('CODE_SEND_LIMITED')
  expect(await deliveryFailuresOf(t, prefix)).toEqual({})
  const replies = await Promise.all(times(10, () => ask(prefix)))
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(2)
  expect(await deliveryFailuresOf(t, prefix)).toEqual({ codeRefused: [8, null] })
  const day = await t.codeSite({ limits: { ...wideLimits, siteDay: 10 } })
  await Promise.all(times(9, () => ask(day)))
  expect(await deliveryFailuresOf(t, day)).toEqual({ codeRefused: [2, null] })
})

test('mailed codes spend nothing of the site’s texts, and have an end of their own', async () => {
  const site = await t.codeSite({ limits: { ...wideLimits, siteDay: 0, prefixDay: 2 } })
  const user = await member(t, site)
  const mail = () => user.call(sendEmailCode, { email: fresh.email(), type: 'authorize' })
  expect((await mail()).status).toBe(200)
  expect((await mail()).code).toBe('CODE_SEND_LIMITED')
  expect(await t.deps.redis.get(`{code:${site.id}:s}`)).toBeNull()
  expect(await deliveryFailuresOf(t, site)).toEqual({ codeRefused: [1, null] })
})
