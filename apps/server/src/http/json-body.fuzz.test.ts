import { loginByPassword } from '@hufu/contract/login'
import { queryUsers } from '@hufu/contract/merchant-users'
import { meta } from '@hufu/contract/site'
import fc from 'fast-check'
import { afterAll, beforeAll, expect } from 'vitest'
import { fuzz } from '../../../../tools/fuzz/fuzz.ts'
import { byteText, changed, nastyText } from '../../../../tools/fuzz/nasty.ts'
import { newOperator, type Operator } from '../../test/operator.ts'
import { startTestApp, type TestApp, type TestSite, wideLimits } from '../../test/test-app.ts'

let t: TestApp
let site: TestSite
let operator: Operator
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite({ limits: { ...wideLimits, passwordFailures: 100_000 } })
  operator = await newOperator(t, site, ['READ'])
})
afterAll(() => t.close())

const written = fc.constantFrom(
  '{"account":"zhang","password":"x"}',
  '{}',
  '{"a":[1,{"__proto__":1}]}',
  '{"constructor":{"prototype":1}}',
)
const bodies = fc.record({
  body: fc.oneof(changed(written), fc.json({ maxDepth: 3 }), byteText),
  type: fc.constantFrom(
    'application/json',
    'application/json; charset=utf-8',
    'application/json;',
    'APPLICATION/JSON',
    'application/json\t',
    'text/plain',
    '',
  ),
  path: fc.constantFrom(meta.path, loginByPassword.path, '/api/unknown'),
})

fuzz(
  'body',
  'whatever a body holds, the answer is JSON and none of our failures',
  bodies,
  async ({ body, type, path }) => {
    const headers = { host: site.host, origin: site.origin, ...(type && { 'content-type': type }) }
    const reply = await t.app.inject({ method: 'POST', url: path, headers, payload: Buffer.from(body, 'latin1') })
    expect([200, 400, 401, 404, 413, 415, 429]).toContain(reply.statusCode)
    const answer = JSON.parse(reply.body)
    expect('data' in answer || typeof answer.code === 'string').toBe(true)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  },
  { share: 0.5 },
)

const searches = fc.record({
  search: fc.oneof(
    nastyText,
    changed(fc.constantFrom('13800138000', '8000', 'a@example.com', '张', '0b0e7b0e', '%_\\', "'; --")),
  ),
  top: fc.integer({ min: 1, max: 100 }),
  skip: fc.oneof(fc.nat(50), fc.integer({ min: 0, max: 1_000_000_000 })),
})

fuzz(
  'search',
  'any search text finds users or none',
  searches,
  async ({ search, top, skip }) => {
    const { status, data } = await operator.call(queryUsers, { search: search.replaceAll('\0', ''), top, skip })
    expect(status).toBe(200)
    expect(data?.data.length).toBeLessThanOrEqual(top)
    expect(data?.count).toBeGreaterThanOrEqual(data?.data.length ?? 0)
  },
  { share: 0.3 },
)
