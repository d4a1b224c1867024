import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { demoSms } from '../../../../../tools/simulators/demo-gateways.ts'
import type { Fault } from '../../../../../tools/simulators/faults.ts'
import { type Simulators, startSimulators } from '../../../../../tools/simulators/start-simulators.ts'
import { freePort } from '../../../../../tools/stores/ports.ts'
import { createLog } from '../../platform/log.ts'
import { createBreaker } from '../breaker.ts'
import { type SmsDeps, sendSms } from './send-sms.ts'

let simulators: Simulators
let lines: string[]
let count = 0

beforeAll(async () => {
  simulators = await startSimulators()
})
afterAll(() => simulators.stop())
beforeEach(async () => {
  lines = []
  await set('aliyun', { mode: 'ok' })
  await set('tencent', { mode: 'ok' })
})

const gateways = demoSms.gateways
const freshMobile = () => `138${String(Date.now() % 1e5).padStart(5, '0')}${String(count++).padStart(3, '0')}`
const params = [
  { name: 'code', value: '012345' },
  { name: 'minutes', value: '5' },
]

const urls = () => ({ aliyun: simulators.aliyunUrl, tencent: simulators.tencentUrl })

const deps = (more: Partial<SmsDeps> = {}): SmsDeps => ({
  clock: { now: () => Date.now() },
  log: createLog({ logLevel: 'info' }, { write: (line) => lines.push(line) }),
  breaker: createBreaker(),
  config: { insecureHttp: true },
  smsUrls: urls(),
  smsTimeoutMs: 10_000,
  ...more,
})

async function set(kind: 'aliyun' | 'tencent', fault: Fault) {
  await fetch(`${urls()[kind]}/control`, { method: 'POST', body: JSON.stringify(fault) })
}

async function received(kind: 'aliyun' | 'tencent'): Promise<number> {
  const answer = await fetch(`${urls()[kind]}/control`)
  return ((await answer.json()) as { data: { received: number } }).data.received
}

const send = (mobile: string, more?: Partial<SmsDeps>, purpose = 'login') =>
  sendSms(deps(more), gateways, { prefix: '86', mobile, purpose, params })

test('the first gateway sends, and the second is not called', async () => {
  const mobile = freshMobile()
  const before = await received('tencent')
  expect(await send(mobile)).toEqual({ kind: 'sent', id: expect.stringMatching(/\^0$/), gateway: 'aliyun' })
  expect(simulators.messages(mobile).map(({ text }) => text)).toEqual([
    '【青屿生活】您正在登录，验证码为012345，5分钟内有效。请勿向任何人透露。',
  ])
  expect(await received('tencent')).toBe(before)
  expect(lines).toEqual([])
})

test.each([
  'isv.OUT_OF_SERVICE',
  'isv.BUSINESS_LIMIT_CONTROL',
  'isv.DAY_LIMIT_CONTROL',
  'isv.SMS_SIGN_ILLEGAL',
  'isp.RAM_PERMISSION_DENY',
])('after the refusal %s the next gateway sends', async (code) => {
  const mobile = freshMobile()
  await set('aliyun', { mode: 'refuse', code })
  expect(await send(mobile)).toMatchObject({ kind: 'sent', gateway: 'tencent' })
  expect(simulators.messages(mobile)).toHaveLength(1)
})

test("a carrier's limit at one gateway lets the other send", async () => {
  const mobile = freshMobile()
  const answers = [await send(mobile), await send(mobile), await send(mobile)]
  expect(answers).toMatchObject([
    { kind: 'sent', gateway: 'aliyun' },
    { kind: 'sent', gateway: 'tencent' },
    { kind: 'refused', gateway: 'tencent', code: 'LimitExceeded.PhoneNumberThirtySecondLimit' },
  ])
})

test('when all refuse, the last refusal is the answer', async () => {
  await set('aliyun', { mode: 'refuse' })
  await set('tencent', { mode: 'refuse' })
  expect(await send(freshMobile())).toMatchObject({
    kind: 'refused',
    code: 'FailedOperation.InsufficientBalanceInSmsPackage',
    gateway: 'tencent',
  })
})

test('a wrong secret is a refusal', async () => {
  const wrong = gateways.map((gateway) => ({ ...gateway, secret: 'wrong' }))
  const sms = { prefix: '86', mobile: freshMobile(), purpose: 'login', params }
  expect(await sendSms(deps(), wrong.slice(0, 1), sms)).toMatchObject({ code: 'SignatureDoesNotMatch' })
  expect(await sendSms(deps(), wrong.slice(1), sms)).toMatchObject({ code: 'AuthFailure.SignatureFailure' })
})

test.each<[string, Fault, string]>([
  ['a time-out', { mode: 'hang', deliver: true }, 'TIMEOUT'],
  ['an answer that comes too late', { mode: 'slow', delayMs: 600 }, 'TIMEOUT'],
  ['a reset after the request was written', { mode: 'reset', deliver: true }, 'ECONNRESET'],
  ['an error inside the gateway', { mode: 'fail', deliver: true }, 'HTTP_500'],
])('%s is unknown, and nothing is sent a second time', async (_, fault, reason) => {
  const mobile = freshMobile()
  const before = [await received('aliyun'), await received('tencent')] as const
  await set('aliyun', fault)
  const timeout = reason === 'TIMEOUT' ? { smsTimeoutMs: 300 } : {}
  expect(await send(mobile, timeout)).toEqual({ kind: 'unknown', reason: expect.any(String), gateway: 'aliyun' })
  expect(lines.join()).toContain(reason)
  await expect.poll(() => simulators.messages(mobile), { timeout: 10_000 }).toHaveLength(1)
  expect([await received('aliyun'), await received('tencent')]).toEqual([before[0] + 1, before[1]])
})

test("Tencent's internal time-out is unknown too", async () => {
  await set('aliyun', { mode: 'refuse' })
  await set('tencent', { mode: 'fail' })
  expect(await send(freshMobile())).toMatchObject({ kind: 'unknown', reason: 'InternalError.Timeout' })
})

test.each([
  ['no one listens', async () => `http://127.0.0.1:${await freePort()}`],
  ['the name has no address', async () => 'http://no-such-host.invalid'],
])('when %s, nothing was written and the next gateway sends', async (_, address) => {
  const mobile = freshMobile()
  const outcome = await send(mobile, { smsUrls: { ...urls(), aliyun: await address() }, smsTimeoutMs: 10_000 })
  expect(outcome).toMatchObject({ kind: 'sent', gateway: 'tencent' })
  expect(lines.join()).toContain('UNREACHABLE')
})

test('a redirect is not followed, and what is no JSON is unknown', async () => {
  const server = createServer((_, response) => response.writeHead(302, { location: simulators.aliyunUrl }).end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const mobile = freshMobile()
  const aliyun = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  expect(await send(mobile, { smsUrls: { ...urls(), aliyun } })).toMatchObject({
    kind: 'unknown',
    reason: 'UNREADABLE_ANSWER',
  })
  expect(simulators.messages(mobile)).toEqual([])
  server.closeAllConnections()
  server.close()
})

test('a gateway that was silent five times is passed over without asking it', async () => {
  await set('aliyun', { mode: 'hang' })
  const shared = { breaker: createBreaker(), smsTimeoutMs: 50 }
  await Promise.all(Array.from({ length: 5 }, () => send(freshMobile(), shared)))
  // Called again, it would time out once more, and the other gateway would send nothing.
  expect(await send(freshMobile(), { ...shared, smsTimeoutMs: 10_000 })).toMatchObject({
    kind: 'sent',
    gateway: 'tencent',
  })
  expect(lines.join()).toContain('BREAKER_OPEN')
})

test('a gateway without a template for the purpose is passed over', async () => {
  const [aliyun, tencent] = gateways
  if (!aliyun || !tencent) throw new Error('two gateways')
  const sms = { prefix: '86', mobile: freshMobile(), purpose: 'login', params }
  const before = await received('aliyun')
  const outcome = await sendSms(deps(), [{ ...aliyun, templates: {} }, tencent], sms)
  expect(outcome).toMatchObject({ kind: 'sent', gateway: 'tencent' })
  expect(await received('aliyun')).toBe(before)
})

test('a site without gateways gets a refusal', async () => {
  const sms = { prefix: '86', mobile: freshMobile(), purpose: 'login', params }
  expect(await sendSms(deps(), [], sms)).toMatchObject({ kind: 'refused', code: 'NO_GATEWAY', gateway: undefined })
})

test('a number abroad arrives, and one that Aliyun would take for a mainland one goes to Tencent Cloud', async () => {
  const abroad = (prefix: string, mobile: string) =>
    sendSms(deps(), gateways, { prefix, mobile, purpose: 'login', params })
  expect(await abroad('852', '61234567')).toMatchObject({ kind: 'sent', gateway: 'aliyun' })
  expect(await abroad('1', '3135550123')).toMatchObject({ kind: 'sent', gateway: 'tencent' })
  expect(simulators.messages('61234567')).toHaveLength(1)
  expect(simulators.messages('3135550123')).toHaveLength(1)
})

test('A37 warnings hold no number, no code and no secret', async () => {
  const mobile = freshMobile()
  await set('tencent', { mode: 'hang' })
  const wrong = gateways.map((gateway) => ({ ...gateway, secret: `${gateway.secret}-wrong` }))
  await sendSms(deps(), wrong, { prefix: '86', mobile, purpose: 'login', params })
  expect(lines).toHaveLength(2)
  for (const text of [mobile, '012345', 'wrong']) expect(lines.join()).not.toContain(text)
})
