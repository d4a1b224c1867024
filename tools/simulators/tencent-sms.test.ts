import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { tencentRequest } from '../../apps/server/src/integrations/sms/gateways/tencent.ts'
import { createInboxStore } from './inbox-store.ts'
import type { Simulator } from './loopback.ts'
import { startTencentSms } from './tencent-sms.ts'

const store = createInboxStore()
const gateway = { kind: 'tencent' as const, keyId: 'id', secret: 'secret', signName: '青屿', appId: '1', templates: {} }
let simulator: Simulator
let time = Date.UTC(2026, 10, 14)

beforeAll(async () => {
  simulator = await startTencentSms({
    keys: { id: 'secret' },
    appIds: ['1'],
    signNames: ['青屿'],
    templates: { '7': '验证码{1}，{2}分钟内有效' },
    receive: store.receive,
    now: () => time,
  })
})
afterAll(() => simulator.stop())
beforeEach(() => {
  time += 48 * 3_600_000
})

const params = ['123456', '5'].map((value, i) => ({ name: `p${i}`, value }))
const message = { prefix: '86', mobile: '13800138000', template: '7', params }

interface Change {
  gateway?: object
  message?: object
  now?: number
  headers?: Record<string, string>
  body?: (body: string) => string
}

/** The code of the request or, where that was accepted, of the number in it. */
async function send(change: Change = {}) {
  const moment = { now: change.now ?? time }
  const signed = tencentRequest(
    simulator.url,
    { ...gateway, ...change.gateway },
    { ...message, ...change.message },
    moment,
  )
  const body = signed.body ?? ''
  const answer = await fetch(signed.url, {
    method: 'POST',
    headers: { ...signed.headers, ...change.headers },
    body: change.body?.(body) ?? body,
  })
  const { Response } = (await answer.json()) as { Response: Answer }
  return { level: Response.Error ? 'request' : 'number', Code: (Response.Error ?? Response.SendStatusSet?.[0])?.Code }
}

interface Answer {
  Error?: { Code: string }
  SendStatusSet?: { Code: string }[]
}

test.each<[string, Change, string, string]>([
  ['an unknown key', { gateway: { keyId: 'other' } }, 'request', 'AuthFailure.SecretIdNotFound'],
  ['a wrong secret', { gateway: { secret: 'other' } }, 'request', 'AuthFailure.SignatureFailure'],
  ['a changed body', { body: (body) => body.replace('138000', '139000') }, 'request', 'AuthFailure.SignatureFailure'],
  ['no signature', { headers: { authorization: 'none' } }, 'request', 'AuthFailure.InvalidAuthorization'],
  ['an unknown application', { gateway: { appId: '2' } }, 'request', 'UnauthorizedOperation.SmsSdkAppIdVerifyFail'],
  ['another version', { headers: { 'x-tc-version': '2019-07-11' } }, 'request', 'NoSuchVersion'],
  ['no region', { headers: { 'x-tc-region': '' } }, 'request', 'MissingParameter'],
  ['an unknown signature', { gateway: { signName: '' } }, 'number', 'FailedOperation.SignatureIncorrectOrUnapproved'],
  ['an unknown template', { message: { template: '8' } }, 'number', 'FailedOperation.TemplateIncorrectOrUnapproved'],
  ['a missing parameter', { message: { params: [] } }, 'number', 'FailedOperation.TemplateIncorrectOrUnapproved'],
  ['a malformed number', { message: { mobile: '1' } }, 'number', 'InvalidParameterValue.IncorrectPhoneNumber'],
])('%s is refused in the form of Tencent Cloud', async (_, change, level, Code) => {
  const before = store.list().length
  expect(await send(change)).toEqual({ level, Code })
  expect(store.list()).toHaveLength(before)
})

test('the clock may be off by five minutes and no more', async () => {
  expect(await send({ now: time - 5 * 60_000 })).toMatchObject({ Code: 'Ok' })
  expect(await send({ now: time - 5 * 60_000 - 1_000 })).toMatchObject({ Code: 'AuthFailure.SignatureExpire' })
  expect(await send({ now: time + 5 * 60_000 + 1_000 })).toMatchObject({ Code: 'AuthFailure.SignatureExpire' })
})

test('a number gets one message in thirty seconds, five an hour and ten a day', async () => {
  const limited = (name: string) => ({ level: 'number', Code: `LimitExceeded.PhoneNumber${name}Limit` })
  const after = async (seconds: number) => {
    time += seconds * 1_000
    return send()
  }
  expect(await send()).toMatchObject({ Code: 'Ok' })
  expect(await send()).toEqual(limited('ThirtySecond'))
  for (let i = 0; i < 4; i++) expect(await after(30)).toMatchObject({ Code: 'Ok' })
  expect(await after(30)).toEqual(limited('OneHour'))
  for (let i = 0; i < 5; i++) expect(await after(3_600)).toMatchObject({ Code: 'Ok' })
  expect(await after(3_600)).toEqual(limited('Daily'))
})

test('the text is what the user would read, under the number without its prefix', async () => {
  await send({ message: { prefix: '886', mobile: '912345678' } })
  expect(store.list('912345678')).toMatchObject([
    { channel: 'sms', from: '青屿', text: '【青屿】验证码123456，5分钟内有效' },
  ])
})
