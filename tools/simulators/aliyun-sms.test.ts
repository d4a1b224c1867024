import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { aliyunRequest } from '../../apps/server/src/integrations/sms/gateways/aliyun.ts'
import { startAliyunSms } from './aliyun-sms.ts'
import { createInboxStore } from './inbox-store.ts'
import type { Simulator } from './loopback.ts'

const store = createInboxStore()
const gateway = { kind: 'aliyun' as const, keyId: 'id', secret: 'secret', signName: '青屿', templates: {} }
let simulator: Simulator
let time = Date.UTC(2026, 10, 14)
let count = 0

beforeAll(async () => {
  simulator = await startAliyunSms({
    keys: { id: 'secret' },
    signNames: ['青屿'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Aliyun's own placeholder
    templates: { SMS_1: '验证码${code}' },
    receive: store.receive,
    now: () => time,
  })
})
afterAll(() => simulator.stop())
beforeEach(() => {
  time += 48 * 3_600_000
})

const message = { prefix: '86', mobile: '13800138000', template: 'SMS_1', params: [{ name: 'code', value: '123456' }] }

interface Change {
  gateway?: object
  message?: object
  now?: number
  nonce?: string
  url?: (url: string) => string
  headers?: Record<string, string>
  body?: string
}

async function send(change: Change = {}) {
  const moment = { now: change.now ?? time, nonce: change.nonce ?? `nonce-${count++}` }
  const signed = aliyunRequest(
    simulator.url,
    { ...gateway, ...change.gateway },
    { ...message, ...change.message },
    moment,
  )
  if ('kind' in signed) throw new Error(signed.kind)
  const answer = await fetch(change.url?.(signed.url) ?? signed.url, {
    method: 'POST',
    headers: { ...signed.headers, ...change.headers },
    body: change.body ?? null,
  })
  const { Code, Message } = (await answer.json()) as { Code: string; Message: string }
  return { status: answer.status, Code, Message }
}

test.each<[string, Change, number, string]>([
  ['an unknown key', { gateway: { keyId: 'other' } }, 404, 'InvalidAccessKeyId.NotFound'],
  ['a wrong secret', { gateway: { secret: 'other' } }, 400, 'SignatureDoesNotMatch'],
  ['a changed number', { url: (url) => url.replace('138000', '139000') }, 400, 'SignatureDoesNotMatch'],
  ['an added parameter', { url: (url) => `${url}&Z=1` }, 400, 'SignatureDoesNotMatch'],
  ['a changed header', { headers: { 'x-acs-signature-nonce': 'other' } }, 400, 'SignatureDoesNotMatch'],
  ['a header that was not signed', { headers: { 'x-acs-more': '1' } }, 400, 'SignatureDoesNotMatch'],
  ['a body that was not signed', { body: 'more' }, 400, 'SignatureDoesNotMatch'],
  ['no signature', { headers: { authorization: 'none' } }, 400, 'IncompleteSignature'],
  ['an unknown signature', { gateway: { signName: '别家' } }, 200, 'isv.SMS_SIGN_ILLEGAL'],
  ['an unknown template', { message: { template: 'SMS_2' } }, 200, 'isv.SMS_TEMPLATE_ILLEGAL'],
  ['a missing parameter', { message: { params: [] } }, 200, 'isv.TEMPLATE_MISSING_PARAMETERS'],
  ['a malformed number', { message: { mobile: '12' } }, 200, 'isv.MOBILE_NUMBER_ILLEGAL'],
])('%s is refused in the form of Aliyun', async (_, change, status, Code) => {
  const before = store.list().length
  expect(await send(change)).toMatchObject({ status, Code })
  expect(store.list()).toHaveLength(before)
})

test('the clock may be off by fifteen minutes and no more', async () => {
  expect(await send({ now: time - 15 * 60_000 })).toMatchObject({ Code: 'OK' })
  expect(await send({ now: time - 15 * 60_000 - 1_000 })).toMatchObject({ Code: 'InvalidTimeStamp.Expired' })
  expect(await send({ now: time + 15 * 60_000 + 1_000 })).toMatchObject({ Code: 'InvalidTimeStamp.Expired' })
})

test('a nonce works once', async () => {
  expect(await send({ nonce: 'same' })).toMatchObject({ Code: 'OK' })
  expect(await send({ nonce: 'same' })).toMatchObject({ status: 400, Code: 'SignatureNonceUsed' })
})

test('a number gets one message a minute, five an hour and ten a day', async () => {
  const limited = { status: 200, Code: 'isv.BUSINESS_LIMIT_CONTROL' }
  const after = async (minutes: number) => {
    time += minutes * 60_000
    return send()
  }
  expect(await send()).toMatchObject({ Code: 'OK' })
  expect(await send()).toEqual({ ...limited, Message: '触发分钟级流控Permits:1' })
  for (let i = 0; i < 4; i++) expect(await after(1)).toMatchObject({ Code: 'OK' })
  expect(await after(1)).toEqual({ ...limited, Message: '触发小时级流控Permits:5' })
  for (let i = 0; i < 5; i++) expect(await after(60)).toMatchObject({ Code: 'OK' })
  expect(await after(60)).toEqual({ ...limited, Message: '触发天级流控Permits:10' })
  expect(await send({ message: { mobile: '13800138999' } })).toMatchObject({ Code: 'OK' })
})
