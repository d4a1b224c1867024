import type { Endpoint } from '@hufu/contract/endpoint'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { oidcClients } from '../../apps/server/test/oidc.ts'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { callerOf } from '../harness/callers.ts'
import { freshAddress, type Harness, nextUrl, openHarness, short } from '../harness/harness.ts'
import { send, together } from '../harness/http.ts'
import { routeCalls } from './oidc-routes.ts'
import { allNavigations, fieldsOf, jsonEndpoints, queryFieldsOf, sampleFor, withField } from './samples.ts'

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
})
afterAll(() => t.close())

const deep = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth))

/** Whatever isn't the text that a field expects, and texts that stores and parsers stumble over. */
const values = (valid: unknown): unknown[] => [
  [],
  [valid],
  [[valid]],
  ['a', 'b'],
  {},
  { $gt: '' },
  { $ne: null },
  { toString: 'x', length: 6 },
  { 0: valid, length: 1 },
  { valueOf: valid },
  0,
  -1,
  1.5,
  Number.MAX_SAFE_INTEGER,
  1e300,
  true,
  false,
  null,
  '',
  ' ',
  '\u0000',
  `a\u0000b@example.com`,
  `${String(valid)}\u0000`,
  '\ud800',
  '\ud800@example.com',
  '\uffff\ufffe',
  '\u202e\u200b@example.com',
  "' OR '1'='1",
  '%00',
  '../../etc/passwd',
  '{{7*7}}',
  'x'.repeat(100_000),
  '9'.repeat(40),
  `+${'9'.repeat(30)}`,
  deep(2_000),
]

const bodies = [
  '[]',
  '"text"',
  '1',
  'true',
  'null',
  '[[]]',
  '{',
  '{"a":1,}',
  '\u0000',
  'undefined',
  '{"a":NaN}',
  '[{}]',
]

/** In the short form one of three; which ones changes from field to field. */
let turn = 0
const everyThird = () => !short || turn++ % 3 === 0

interface Odd {
  body: string
  /** Whether the contract takes it all the same: any object may stand where a config is expected. */
  taken: boolean
}

function oddBodiesFor(endpoint: Endpoint): Odd[] {
  const sample = sampleFor(endpoint)
  const inputs = fieldsOf(endpoint).flatMap((field) =>
    values(sample[field]).map((value) => withField(sample, field, value)),
  )
  const fields = inputs.filter(everyThird).map((input) => ({
    body: JSON.stringify(input),
    taken: endpoint.input.safeParse(input).success,
  }))
  return [...fields, ...bodies.map((body) => ({ body, taken: body === 'null' }))]
}

/** Inputs that were neither refused with 400 nor valid by the contract. */
async function unexpected(endpoint: Endpoint, odd: Odd[]): Promise<string[]> {
  const admin = await callerOf(t, 'merchantAdmin', site)
  const lines = await together(odd.length, 8, async (index) => {
    const { body = '', taken = false } = odd[index] ?? {}
    // A call that is taken may end the session it was made in.
    const caller = taken ? await callerOf(t, 'merchantAdmin', site) : admin
    const { status } = await caller.post(endpoint.path, body, { 'x-forwarded-for': freshAddress() })
    const fine = taken ? status < 500 : status === 400
    return fine ? undefined : `${endpoint.path} ${body.slice(0, 100)} → ${status}`
  })
  return lines.filter((line) => line !== undefined)
}

test('A13 every field of every call refuses what is not its type, and nothing fails', async () => {
  const failed: string[] = []
  let calls = 0
  for (const endpoint of jsonEndpoints) {
    const odd = oddBodiesFor(endpoint)
    failed.push(...(await unexpected(endpoint, odd)))
    calls += odd.length
  }
  console.log(`A13: ${calls} calls${failed.map((line) => `\n  ${JSON.stringify(line)}`).join('')}`)
  figure(`of ${calls} wrong types at ${jsonEndpoints.length} calls not refused with 400`, failed.length, ['=', 0])
})

test('A13 every navigation ends in a redirect of our own, whatever its query holds', async () => {
  const odd = [
    '',
    '%00',
    '%',
    '%zz',
    '%ED%A0%80',
    'a'.repeat(9_000),
    '{}',
    '[]',
    'null',
    "'%20OR%20'1'='1",
    '%F0%9F%98%80',
  ]
  const caller = await callerOf(t, 'merchantAdmin', site)
  let calls = 0
  let expected = 0
  for (const navigation of allNavigations) {
    const { path, home } = navigation
    for (const field of [...queryFieldsOf(navigation), '__proto__', 'constructor']) {
      const given = odd.map((value) => `${field}=${value}`)
      const shapes = [`${field}=a&${field}=b`, `${field}[]=a`, `${field}[x]=a`, `${field}.x=a`, field]
      expected += given.length + shapes.length
      for (const query of [...given, ...shapes]) {
        const { status, headers } = await caller.get(`${path}?${query}`, { 'x-forwarded-for': freshAddress() })
        expect(status, `${path}?${query.slice(0, 80)}`).toBe(302)
        expect(String(headers.location), query).toMatch(new RegExp(`^(${home}|/user)(\\?wechat=[A-Z_]+)?$`))
        calls++
      }
    }
  }
  figure('navigations with odd queries that ended on a page of ours', calls, ['=', expected])
})

test('A13 every route of OpenID Connect refuses odd parameters in the words of the standards', async () => {
  const at = await t.codeSite({ clients: oidcClients })
  const names = [
    'client_id',
    'grant_type',
    'code',
    'refresh_token',
    'token',
    'scope',
    'redirect_uri',
    'state',
    'claims',
  ]
  const odd = ['', '%00', '%', '%zz', '%ED%A0%80', 'a'.repeat(5_000), '{}', '[]', "'%20OR%20'1'='1", '%F0%9F%98%80']
  const failed: string[] = []
  let calls = 0
  for (const { path, method, navigation } of routeCalls.filter((each) => !/jwks|well-known/.test(each.path))) {
    for (const name of [...names, '__proto__', 'constructor']) {
      const shapes = [`${name}=a&${name}=b`, `${name}[]=a`, `${name}[x]=a`, `${name}.x=a`, name]
      for (const text of [...odd.map((value) => `${name}=${value}`), ...shapes].filter(everyThird)) {
        const headers = { host: at.host, 'x-forwarded-for': freshAddress(), accept: 'text/html' }
        const reply =
          method === 'GET'
            ? await send(nextUrl(), { path: `${path}?${text}`, method, headers })
            : await send(nextUrl(), {
                path,
                body: text,
                headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
              })
        calls++
        const to = reply.headers.location ?? ''
        const fine = navigation
          ? [303, 413].includes(reply.status) && /^\/(authorizeError\/(?!server)|oidc\/|logout)/.test(to)
          : reply.status >= 400 && reply.status < 500 && /"error"|<html/.test(reply.body)
        if (!fine)
          failed.push(`${method} ${path} ${text.slice(0, 60)} → ${reply.status} ${to} ${reply.body.slice(0, 80)}`)
      }
    }
  }
  expect(failed).toEqual([])
  figure(`of ${calls} odd parameters at routes of OpenID Connect not refused`, failed.length, ['=', 0])
})
