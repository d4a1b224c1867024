import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer as createHttpServer, request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lookupAmong } from '../../apps/server/src/integrations/public-address.ts'
import { sendEvent } from '../../apps/server/src/integrations/webhook/standard-webhook.ts'
import { type Received, type Receiver, startReceiver } from '../../apps/server/test/webhook-receiver.ts'
import { webhookSecret } from '../../apps/server/test/webhook-secret.ts'

const secret = webhookSecret()
const clock = { now: () => Date.now() }
const body = (name: string) =>
  JSON.stringify({ type: 'user.updated', timestamp: name, data: { id: name, changed: [] } })

let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
})
afterAll(() => receiver.close())

const send = (insecureHttp: boolean, url: string, id: string = randomUUID()) =>
  sendEvent({ clock, config: { insecureHttp } }, { url, secrets: [secret], id, body: body(id) })

async function delivery(): Promise<Received> {
  await send(true, receiver.url)
  const last = receiver.received.at(-1)
  if (!last) throw new Error('nothing arrived')
  return last
}

type Headers = Record<string, string | undefined>

/** As docs/events.md describes it for those without a library. */
function verify(given: string, { headers, body }: { headers: Headers; body: string }, now = Date.now()): boolean {
  const { 'webhook-id': id = '', 'webhook-timestamp': time = '', 'webhook-signature': signatures = '' } = headers
  if (!/^\d+$/.test(time) || Math.abs(now / 1_000 - Number(time)) > 300) return false
  const key = Buffer.from(given.slice('whsec_'.length), 'base64')
  const expected = Buffer.from(`v1,${createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64')}`)
  return signatures.split(' ').some((text) => {
    const signature = Buffer.from(text)
    return signature.length === expected.length && timingSafeEqual(signature, expected)
  })
}

const byLibrary = (given: string, { headers, body }: { headers: Headers; body: string }): boolean => {
  try {
    new Webhook(given).verify(body, headers as Record<string, string>)
    return true
  } catch {
    return false
  }
}

const forged: Record<string, (one: Received, other: Received) => { headers: Headers; body: string }> = {
  'another body': (one, other) => ({ headers: one.headers as Headers, body: other.body }),
  'a changed body': (one) => ({
    headers: one.headers as Headers,
    body: one.body.replace('user.updated', 'user.deleted'),
  }),
  'another id': (one, other) => ({ headers: { ...one.headers, 'webhook-id': other.id } as Headers, body: one.body }),
  'a later time': (one) => ({
    headers: { ...one.headers, 'webhook-timestamp': String(Number(one.headers['webhook-timestamp']) + 1) } as Headers,
    body: one.body,
  }),
  'no signature': (one) => ({ headers: { ...one.headers, 'webhook-signature': '' } as Headers, body: one.body }),
  'a signature of another version': (one) => ({
    headers: {
      ...one.headers,
      'webhook-signature': String(one.headers['webhook-signature']).replace('v1,', 'v2,'),
    } as Headers,
    body: one.body,
  }),
  'a cut signature': (one) => ({
    headers: { ...one.headers, 'webhook-signature': String(one.headers['webhook-signature']).slice(0, 20) } as Headers,
    body: one.body,
  }),
}

test.each(Object.entries(forged))(
  'A57 a delivery with %s is refused by the documented verifier',
  async (_what, forge) => {
    const [one, other] = [await delivery(), await delivery()]
    const real = { headers: one.headers as Headers, body: one.body }
    for (const check of [verify, byLibrary]) {
      expect(check(secret, real)).toBe(true)
      expect(check(secret, forge(one, other))).toBe(false)
      expect(check(webhookSecret(), real)).toBe(false)
    }
  },
)

test('A57 a replay is refused after five minutes, and before that it is known by its id', async () => {
  const one = await delivery()
  const real = { headers: one.headers as Headers, body: one.body }
  expect(verify(secret, real, Date.now() + 299_000)).toBe(true)
  expect(verify(secret, real, Date.now() + 302_000)).toBe(false)
  await send(true, receiver.url, one.id)
  expect(receiver.received.at(-1)?.id).toBe(one.id)
})

test('A57 of deliveries that an attacker holds back and reorders, the signed time of the event tells the order', async () => {
  const [one, two] = [await delivery(), await delivery()]
  const time = ({ body }: Received) => JSON.parse(body).timestamp
  const moved = { headers: two.headers as Headers, body: two.body.replace(time(two), time(one)) }
  expect(verify(secret, moved)).toBe(false)
})

const inner = [
  'https://127.0.0.1/',
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://[::1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://10.0.0.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://100.100.100.200/',
  'https://[fd00:ec2::254]/',
  'https://localhost/',
]

test.each(inner)('A57 nothing is sent to %s', async (url) => {
  expect(await send(false, url)).toMatchObject({ failure: 'NOT_PUBLIC' })
})

test.each(['http://erp.example.com/', 'ftp://erp.example.com/', 'file:///etc/passwd'])(
  'A57 nothing is sent to %s, which is not HTTPS',
  async (url) => {
    expect(await send(false, url)).toMatchObject({ failure: 'NOT_HTTPS' })
  },
)

test.each([301, 302, 303, 307, 308])('A57 a redirect by %i to an inner address is not followed', async (status) => {
  let met = 0
  const inside = createServer(() => met++).listen(0, '127.0.0.1')
  await once(inside, 'listening')
  const location = `http://127.0.0.1:${(inside.address() as AddressInfo).port}/`
  receiver.answer = () => ({ status, headers: { location } })
  expect(await send(true, receiver.url)).toMatchObject({ status })
  receiver.answer = () => 204
  expect(met).toBe(0)
  inside.close()
})

test('A57 a name is resolved once, and what was checked is connected to: rebinding finds no second look', async () => {
  const server = createHttpServer((_request, response) => response.end()).listen(0)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const checked: string[] = []
  // Public at the first look, inner at every later one.
  const lookup = lookupAmong((address) => checked.push(address) > 0 && checked.length <= 2)
  const reached = await new Promise<string | undefined>((resolve, reject) => {
    request({ host: 'localhost', port, agent: false, lookup }, (response) => {
      resolve(response.socket.remoteAddress)
      response.destroy()
    })
      .on('error', reject)
      .end()
  })
  expect(checked).toContain(reached?.replace('::ffff:', ''))
  expect(new Set(checked).size).toBe(checked.length)
  server.close()
})

test('A57 a name with an inner address among public ones is refused', async () => {
  const lookup = lookupAmong((address) => !address.startsWith('127.') && address !== '::1')
  const failed = await new Promise<Error | null>((resolve) =>
    lookup('localhost', { all: true }, (error) => resolve(error)),
  )
  expect(failed?.constructor.name).toBe('NotPublic')
})
