import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { verifyWebhook, WebhookError } from '../src/webhooks.ts'

const secretOf = () => `whsec_${randomBytes(32).toString('base64')}`
const at = new Date(1_793_433_600_000)
const now = () => at.getTime()
const id = 'msg_1'
const body = JSON.stringify({
  type: 'user.disabled',
  timestamp: at.toISOString(),
  data: { id: '1', changed: ['status'] },
})

/** Signed by the library of Standard Webhooks, not by us. */
const headersOf = (...secrets: string[]) => ({
  'Webhook-Id': id,
  'webhook-timestamp': String(at.getTime() / 1000),
  'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
})
const reasonOf = (work: () => unknown) => {
  try {
    work()
  } catch (error) {
    return error instanceof WebhookError ? error.reason : error
  }
  return undefined
}

test('D461 a delivery that the library of Standard Webhooks signed passes, as text and as bytes, in either kind of headers', () => {
  const secret = secretOf()
  const event = verifyWebhook(headersOf(secret), body, secret, { now })
  expect(event).toEqual({
    id,
    sentAt: at,
    type: 'user.disabled',
    timestamp: at.toISOString(),
    data: { id: '1', changed: ['status'] },
  })
  expect(verifyWebhook(new Headers(headersOf(secret)), Buffer.from(body), [secret], { now })).toEqual(event)
})

test('D461 the vector that Standard Webhooks publishes passes', () => {
  const vector = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  }
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const check = () => verifyWebhook(vector, '{"test": 2432232314}', secret, { now: () => 1_614_265_330_000 })
  // Signed rightly, and no event of ours.
  expect(reasonOf(check)).toBe('body')
})

test('D461 while secrets are rotated any of them counts on either side', () => {
  const [old, next, other] = [secretOf(), secretOf(), secretOf()]
  expect(verifyWebhook(headersOf(old, next), body, next, { now }).id).toBe(id)
  expect(verifyWebhook(headersOf(next), body, [old, next], { now }).id).toBe(id)
  expect(reasonOf(() => verifyWebhook(headersOf(old, next), body, other, { now }))).toBe('signature')
})

test('D461 a changed body, id or time, a foreign version and an age over 300 s are refused', () => {
  const secret = secretOf()
  const headers = headersOf(secret)
  const check = (changed: object, text = body, time = now) =>
    reasonOf(() => verifyWebhook({ ...headers, ...changed }, text, secret, { now: time }))
  expect(check({}, body.replace('disabled', 'enabled_'))).toBe('signature')
  expect(check({ 'Webhook-Id': 'msg_2' })).toBe('signature')
  expect(check({ 'webhook-timestamp': String(at.getTime() / 1000 + 1) })).toBe('signature')
  expect(check({ 'webhook-signature': headers['webhook-signature'].replace('v1,', 'v1a,') })).toBe('signature')
  expect(check({ 'webhook-signature': '' })).toBe('headers')
  expect(check({ 'webhook-timestamp': 'soon' })).toBe('headers')
  expect(check({}, body, () => now() + 300_000)).toBeUndefined()
  expect(check({}, body, () => now() + 301_000)).toBe('time')
  expect(check({}, body, () => now() - 301_000)).toBe('time')
})

test('D461 a secret that is empty or no secret at all signs nothing', () => {
  const headers = headersOf(secretOf())
  for (const wrong of ['', 'whsec_', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', []])
    expect(() => verifyWebhook(headers, body, wrong, { now })).toThrow(TypeError)
})
