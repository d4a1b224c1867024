import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestSite } from '../apps/server/test/test-app.ts'
import { callerOf } from './callers.ts'
import { type Browser, freshAddress, type Harness, openHarness } from './harness.ts'
import { allNavigations, fieldsOf, jsonEndpoints, sampleFor, withField } from './samples.ts'

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

test('A13 every field of every call refuses what is not its type, and nothing fails', async () => {
  let calls = 0
  const failed: string[] = []
  for (const endpoint of jsonEndpoints) {
    const ask = async (caller: Browser, body: string) => {
      calls++
      return await caller.post(endpoint.path, body, { 'x-forwarded-for': freshAddress() })
    }
    let caller = await callerOf(t, 'merchantAdmin', site)
    const check = async (body: string, taken: boolean) => {
      const { status } = await ask(caller, body)
      const told = `${endpoint.path} ${body.slice(0, 100)} → ${status}`
      if (status >= 500 || (!taken && status !== 400)) failed.push(told)
      // A call that was taken may have ended the session.
      if (taken) caller = await callerOf(t, 'merchantAdmin', site)
    }
    for (const field of fieldsOf(endpoint)) {
      const sample = sampleFor(endpoint)
      for (const value of values(sample[field])) {
        const input = withField(sample, field, value)
        await check(JSON.stringify(input), endpoint.input.safeParse(input).success)
      }
    }
    for (const body of bodies) await check(body, body === 'null')
  }
  console.log(
    `A13: ${calls} calls with a wrong type over ${jsonEndpoints.length} endpoints, ${failed.length} not refused with 400${failed.map((line) => `\n  ${JSON.stringify(line)}`).join('')}`,
  )
  expect(failed).toEqual([])
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
  for (const { path, home } of allNavigations) {
    for (const field of ['source', 'ticket', 'code', 'state', 'tap', '__proto__', 'constructor']) {
      const given = odd.map((value) => `${field}=${value}`)
      const shapes = [`${field}=a&${field}=b`, `${field}[]=a`, `${field}[x]=a`, `${field}.x=a`, field]
      for (const query of [...given, ...shapes]) {
        calls++
        const { status, headers } = await caller.get(`${path}?${query}`, { 'x-forwarded-for': freshAddress() })
        expect(status, `${path}?${query.slice(0, 80)}`).toBe(302)
        expect(String(headers.location), query).toMatch(new RegExp(`^(${home}|/user)(\\?wechat=[A-Z_]+)?$`))
      }
    }
  }
  console.log(`A13: ${calls} navigations with odd queries, all ended on a page of ours`)
})
