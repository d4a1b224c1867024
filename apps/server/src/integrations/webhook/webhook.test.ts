import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { timeLimit } from '../../../../../tools/checks/time-limit.ts'
import { freePort } from '../../../../../tools/stores/ports.ts'
import { createBreaker } from '../breaker.ts'
import { isPublicAddress, publicLookup } from '../public-address.ts'
import { sendWebhook, signatureOf } from './webhook.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.closeAllConnections()
})

async function receiver(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hufu`
}

const clock = { now: () => 1_763_184_000_500 }

function send(url: string, { insecureHttp = true, webhookTimeoutMs = 5_000 } = {}) {
  const deps = { breaker: createBreaker(), clock, config: { insecureHttp }, webhookTimeoutMs }
  return sendWebhook(deps, {
    url,
    client: 'shop',
    secret: 'secret',
    delivery: 'd1',
    body: '{"event":"account.deleted"}',
  })
}

test('the signature is the HMAC of second and body', () => {
  // printf '1763184000.{}' | openssl dgst -sha256 -hmac secret
  expect(signatureOf('secret', 1_763_184_000, '{}')).toBe(
    't=1763184000,v1=dc72f6c253954b1eebe71b762d4bb0793f3151302c5e2350d4b51a76245aefa5',
  )
})

test.each([200, 201, 204])('%i is done', async (status) => {
  expect(await send(await receiver((_request, response) => response.writeHead(status).end()))).toEqual({
    kind: 'sent',
    id: 'd1',
  })
})

test.each([
  [404, 'refused'],
  [410, 'refused'],
  [401, 'refused'],
  [429, 'unknown'],
  [408, 'unknown'],
  [500, 'unknown'],
  [503, 'unknown'],
])('%i is %s', async (status, kind) => {
  expect(await send(await receiver((_request, response) => response.writeHead(status).end()))).toMatchObject({ kind })
})

test.each([301, 302, 307, 308])('a redirect with %i leads nowhere', async (status) => {
  let met = 0
  const elsewhere = await receiver((_request, response) => {
    met++
    response.end()
  })
  const url = await receiver((_request, response) => response.writeHead(status, { location: elsewhere }).end())
  expect(await send(url)).toMatchObject({ kind: 'refused', code: `HTTP_${status}` })
  expect(met).toBe(0)
})

test('who is silent, or trickles headers, is given up in time', async () => {
  const silent = await receiver(() => {})
  const trickling = await receiver((request) => {
    const timer = setInterval(() => request.socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 50)
    request.socket.once('close', () => clearInterval(timer))
  })
  for (const url of [silent, trickling]) {
    const begun = performance.now()
    expect(await send(url, { webhookTimeoutMs: 300 })).toEqual({ kind: 'unknown', reason: 'TIMEOUT' })
    expect(performance.now() - begun).toBeLessThan(timeLimit(2_000))
  }
})

test('an answer without end is not read', async () => {
  let written = 0
  const url = await receiver((_request, response) => {
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536))) written += 65_536
    }
    response.on('drain', more)
    more()
  })
  expect(await send(url)).toMatchObject({ kind: 'sent' })
  expect(written).toBeLessThan(16 * 1_048_576)
})

test('no connection is another outcome than a refusal', async () => {
  expect(await send(`http://127.0.0.1:${await freePort()}/hufu`)).toMatchObject({
    kind: 'refused',
    code: 'UNREACHABLE',
  })
})

const inner = [
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '100.100.100.200',
  '127.0.0.1',
  '127.255.255.254',
  '168.63.129.16',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.192',
  '192.168.1.1',
  '198.18.0.1',
  '203.0.113.9',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '3fff::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fec0::1',
  'ff02::1',
]

test.each(inner)('%s is no public address, and nothing is sent there', async (address) => {
  expect(isPublicAddress(address)).toBe(false)
  const host = address.includes(':') ? `[${address}]` : address
  expect(await send(`https://${host}/hufu`, { insecureHttp: false })).toMatchObject({ code: 'NOT_PUBLIC' })
})

test.each([
  'https://0x7f.1/',
  'https://2130706433/',
  'https://127.1/',
  'https://[::ffff:7f00:1]/',
  'https://localhost/',
])('%s is this machine, in whatever spelling', async (url) => {
  expect(await send(url, { insecureHttp: false })).toMatchObject({ kind: 'refused', code: 'NOT_PUBLIC' })
})

test.each(['8.8.8.8', '119.29.29.29', '172.32.0.1', '100.128.0.1', '2400:3200::1', '2606:4700:4700::1111'])(
  '%s is public',
  (address) => {
    expect(isPublicAddress(address)).toBe(true)
  },
)

test('without encryption nothing is sent', async () => {
  const url = await receiver((_request, response) => response.end())
  expect(await send(url, { insecureHttp: false })).toMatchObject({ kind: 'refused', code: 'NOT_HTTPS' })
})

test.each([{ all: true }, { all: false }, { family: 4 }])(
  'a name is refused where it is found: %o',
  async (options) => {
    const { promise, resolve } = Promise.withResolvers<Error | null>()
    publicLookup('localhost', options, (error) => resolve(error))
    expect((await promise)?.constructor.name).toBe('NotPublic')
  },
)
