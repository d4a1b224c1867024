import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { HufuError } from '../src/api-error.ts'
import { createTransport } from '../src/transport.ts'
import { machine } from './product.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

/** A server that fails as proxies and busy servers do: each call gets the next answer. */
async function failing(...answers: Answer[]) {
  const seen: { path: string; key: string | undefined; token: string | undefined }[] = []
  let tokens = 0
  const server = createServer((request, response) => {
    request.resume()
    if (request.url === '/oidc/token')
      return response.end(JSON.stringify({ access_token: `token${++tokens}`, token_type: 'Bearer', expires_in: 600 }))
    const { authorization, 'idempotency-key': key } = request.headers
    seen.push({ path: request.url ?? '', key: key?.toString(), token: authorization })
    return (answers.shift() ?? ok)(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stops.push(() => server.close())
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { send: createTransport({ issuer, ...machine, scopes: ['users:read'] }), seen, tokens: () => tokens }
}

const ok: Answer = (_request, response) => response.end('{"data":1}')
const busy: Answer = (_request, response) =>
  response.writeHead(503, { 'retry-after': '0' }).end('{"code":"SERVICE_BUSY"}')
const gateway: Answer = (_request, response) => response.writeHead(502, { 'retry-after': '0' }).end('<html>')
const gone: Answer = (request) => request.socket.destroy()
const refused: Answer = (_request, response) =>
  response.writeHead(409, { 'x-request-id': 'r1' }).end('{"code":"REQUEST_RUNNING","message":"…","details":{"a":1}}')
const unknownToken: Answer = (_request, response) => response.writeHead(401).end('{"code":"TOKEN_INVALID"}')

const read = { method: 'GET', path: '/a', headers: {} } as const
const bare = { method: 'POST', path: '/a', headers: {} } as const
const keyed = { method: 'POST', path: '/a', headers: { 'idempotency-key': 'k1' } } as const

test('D462 a read and a change with its key are repeated through busy servers, proxies and lost connections', async () => {
  for (const sending of [read, keyed]) {
    const { send, seen } = await failing(busy, gateway, gone)
    expect((await send(sending)).status).toBe(200)
    expect(seen).toHaveLength(4)
    expect(new Set(seen.map(({ key }) => key)).size).toBe(1)
  }
})

test('D462 a POST without a key is repeated only where the server has refused it before any work', async () => {
  const limited = await failing(busy)
  expect((await limited.send(bare)).status).toBe(200)
  const uncertain = await failing(gateway)
  await expect(uncertain.send(bare)).rejects.toMatchObject({ status: 502, code: 'HTTP_502' })
  const lost = await failing(gone)
  await expect(lost.send(bare)).rejects.toThrow(TypeError)
  expect([uncertain.seen.length, lost.seen.length]).toEqual([1, 1])
})

test('D462 attempts end, and a refusal is an error with code, details and the id of the request', async () => {
  const { send, seen } = await failing(busy, busy, busy, busy, busy, busy)
  await expect(send(read)).rejects.toMatchObject({ status: 503, code: 'SERVICE_BUSY' })
  expect(seen).toHaveLength(5)
  const other = await failing(refused)
  const error = await other.send(keyed).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(HufuError)
  expect(error).toMatchObject({ status: 409, code: 'REQUEST_RUNNING', details: { a: 1 }, requestId: 'r1' })
})

test('D462 calls at the same time share one token, and a revoked one is replaced once', async () => {
  const { send, tokens, seen } = await failing()
  await Promise.all(Array.from({ length: 20 }, () => send(read)))
  expect(tokens()).toBe(1)
  const revoked = await failing(unknownToken)
  expect((await revoked.send(read)).status).toBe(200)
  expect(revoked.seen.map(({ token }) => token)).toEqual(['Bearer token1', 'Bearer token2'])
  const ended = await failing(unknownToken, unknownToken)
  await expect(ended.send(read)).rejects.toMatchObject({ code: 'TOKEN_INVALID' })
  expect(seen).toHaveLength(20)
})
