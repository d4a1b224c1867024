import { endpoint, nothing } from '@hufu/contract/endpoint'
import { errors } from '@hufu/contract/errors'
import { meta } from '@hufu/contract/site'
import { pageVisit } from '@hufu/contract/statistics'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { startTestApp, type TestApp, type TestSite } from '../../test/test-app.ts'
import { serve } from './serve.ts'

const echo = endpoint({
  path: '/api/test/echo',
  summary: 'Answers what it got.',
  access: 'public',
  input: z.object({ text: z.string(), nested: z.object({ count: z.int() }).optional() }),
  output: z.object({ text: z.string() }),
})
const limited = endpoint({ ...echo, path: '/api/test/limited', limit: { calls: 5, seconds: 60 }, input: nothing })
const guarded = (['user', 'merchantRead', 'merchantWrite', 'merchantAdmin'] as const).map((access) =>
  endpoint({ path: `/api/test/${access}`, summary: 'Guarded.', access, input: nothing, output: z.null() }),
)
const forClients = endpoint({
  path: '/api/test/client',
  summary: 'For other servers.',
  access: 'client',
  input: nothing,
  output: z.null(),
})
const broken = endpoint({
  path: '/api/test/broken',
  summary: 'Fails.',
  access: 'public',
  input: nothing,
  output: z.null(),
})

let t: TestApp
let site: TestSite
beforeAll(async () => {
  t = await startTestApp({ HUFU_TRUSTED_PROXIES: '127.0.0.0/8' })
  serve(t.app, t.deps, echo, ({ text }) => ({ text, leaked: 'internal' }) as { text: string })
  serve(t.app, t.deps, limited, () => ({ text: '' }))
  serve(t.app, t.deps, broken, () => {
    throw new Error('cannot reach 13812345678 for li.lei@example.com')
  })
  for (const one of [...guarded, forClients]) serve(t.app, t.deps, one, () => null)
  site = await t.site()
})
afterAll(() => t.close())

const post = (url: string, headers: Record<string, string | undefined>, payload?: string) =>
  t.app.inject({
    method: 'POST',
    url,
    headers: { host: site.host, ...headers },
    ...(payload !== undefined && { payload }),
  })
const own = { 'sec-fetch-site': 'same-origin' }

test('D006 success is 200 with data, and fields outside the contract never leave', async () => {
  const reply = await post(echo.path, { ...own, 'content-type': 'application/json' }, '{"text":"你好"}')
  expect(reply.statusCode).toBe(200)
  expect(reply.json()).toEqual({ data: { text: '你好' } })
})

test('D006 every failure of the table has a fitting status, an upper-case code and a Chinese sentence', () => {
  for (const [code, { status, message }] of Object.entries(errors)) {
    expect(code).toMatch(/^[A-Z][A-Z_]+$/)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(message).toMatch(/[\u4e00-\u9fff]/)
  }
})

test('D008 bad input answers 400 with the field named', async () => {
  const json = { ...own, 'content-type': 'application/json' }
  const wrong = await post(echo.path, json, '{"text":"a","nested":{"count":"x"}}')
  expect(wrong.statusCode).toBe(400)
  expect(wrong.json()).toMatchObject({ code: 'INPUT_INVALID', details: { field: 'nested.count' } })
  for (const body of ['{', '[]', '"text"', 'null', '{"text":["a"]}', '{"__proto__":{"x":1},"text":"a"}']) {
    expect((await post(echo.path, json, body)).statusCode, body).toBe(400)
  }
})

test('a call that takes nothing answers with and without a body', async () => {
  expect((await post(meta.path, {})).statusCode).toBe(200)
  expect((await post(meta.path, { 'content-type': 'application/json' }, '')).statusCode).toBe(200)
  expect((await post(meta.path, { 'content-type': 'application/json' }, '{}')).statusCode).toBe(200)
})

test('D007 a call answers to POST alone, and to JSON alone', async () => {
  for (const method of ['GET', 'PUT', 'DELETE', 'PATCH'] as const) {
    const reply = await t.app.inject({ method, url: meta.path, headers: { host: site.host } })
    expect(reply.statusCode, method).toBe(405)
    expect(reply.json().code).toBe('METHOD_NOT_ALLOWED')
  }
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
  ]) {
    const reply = await post(echo.path, { ...own, 'content-type': type }, '{"text":"a"}')
    expect(reply.statusCode, type).toBe(415)
    expect(reply.json().code).toBe('UNSUPPORTED_MEDIA_TYPE')
  }
})

test('an unknown call and a body that is too large are refused in our words', async () => {
  const unknown = await post('/api/nothing/here', own)
  expect(unknown.statusCode).toBe(404)
  expect(unknown.json().code).toBe('NOT_FOUND')
  const large = await post(
    echo.path,
    { ...own, 'content-type': 'application/json' },
    JSON.stringify({ text: 'x'.repeat(300_000) }),
  )
  expect(large.statusCode).toBe(413)
  expect(large.json().code).toBe('PAYLOAD_TOO_LARGE')
})

test.each([
  ['same-origin', { 'sec-fetch-site': 'same-origin' }, 200],
  ['same-site', { 'sec-fetch-site': 'same-site' }, 403],
  ['cross-site', { 'sec-fetch-site': 'cross-site' }, 403],
  ['cross-site with our origin', { 'sec-fetch-site': 'cross-site', origin: 'own' }, 403],
  ['typed by hand', { 'sec-fetch-site': 'none' }, 403],
  ['an old browser on our page', { origin: 'own' }, 200],
  ['an old browser elsewhere', { origin: 'https://evil.example' }, 403],
  ['an opaque origin', { origin: 'null' }, 403],
  ['silence', {}, 403],
])('a call from %s', async (_title, headers, status) => {
  const { origin, ...rest } = headers as Record<string, string>
  const sent = origin === undefined ? rest : { ...rest, origin: origin === 'own' ? site.origin : origin }
  const reply = await post(pageVisit.path, sent)
  expect(reply.statusCode).toBe(status)
  if (status === 403) expect(reply.json().code).toBe('ORIGIN_REFUSED')
})

test('guarded calls are closed to an unknown caller', async () => {
  for (const one of guarded) {
    expect(await t.call(site, one)).toMatchObject({ status: 401, code: 'NOT_LOGGED_IN' })
  }
  // Whatever the call itself takes: without a client's id and secret it is refused.
  expect(await t.call(site, forClients)).toMatchObject({ status: 401, code: 'CLIENT_REFUSED' })
})

test('of fifty calls at once exactly the limit passes, per household, and the wait is returned', async () => {
  const from = (address: string) => post(limited.path, { ...own, 'x-forwarded-for': address })
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, index) => from(`2001:db8:1:2::${index.toString(16)}`)),
  )
  expect(replies.filter((reply) => reply.statusCode === 200)).toHaveLength(5)
  const refused = replies.find((reply) => reply.statusCode === 429)
  expect(refused?.json()).toMatchObject({ code: 'TOO_MANY_REQUESTS', details: { retryAfter: expect.any(Number) } })
  expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0)
  expect((await from('2001:db8:1:3::1')).statusCode).toBe(200)
})

test('a failure of our own is a sentence for the user and a masked line for us', async () => {
  const answer = await t.call(site, broken)
  expect(answer).toMatchObject({ status: 500, code: 'INTERNAL_ERROR', message: errors.INTERNAL_ERROR.message })
  const line = t.log.findLast((text) => text.includes('call failed')) ?? ''
  expect(line).toContain('138****5678')
  expect(line).toContain('li***@example.com')
  expect(t.log.join('')).not.toMatch(/13812345678|li\.lei@/)
})

test('every call leaves one line with its id, site, route, status and a masked address', async () => {
  t.deps.log.flush()
  const before = t.log.length
  const reply = await post(pageVisit.path, { ...own, 'x-forwarded-for': '120.24.78.68' })
  t.deps.log.flush()
  const lines = t.log
    .slice(before)
    .flatMap((text) => text.trim().split('\n'))
    .map((line) => JSON.parse(line))
  expect(lines).toEqual([
    expect.objectContaining({
      id: reply.headers['x-request-id'],
      site: site.id,
      route: pageVisit.path,
      status: 200,
      from: '120.24.78.0',
    }),
  ])
})

const hardened = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
}

test('answers carry nosniff, run nothing, stand in no frame, are never stored and never asked for in the clear', async () => {
  // Made ready before, made now, and refused.
  for (const endpoint of [meta, echo, ...guarded])
    expect((await t.call(site, endpoint)).headers, endpoint.path).toMatchObject(hardened)
})
