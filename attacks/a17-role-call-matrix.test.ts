import type { Access, Endpoint } from '@hufu/contract/endpoint'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestSite } from '../apps/server/test/test-app.ts'
import { callerOf, type Role, roles } from './callers.ts'
import { type Harness, openHarness } from './harness.ts'
import { allEndpoints, bodyFor } from './samples.ts'

let t: Harness
let site: TestSite
let other: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
  other = await t.codeSite()
})
afterAll(() => t.close())

const needed: Record<Access, string[] | undefined> = {
  public: undefined,
  user: [],
  merchantRead: ['READ'],
  merchantWrite: ['READ', 'WRITE'],
  merchantAdmin: ['READ', 'ADMIN'],
  client: undefined,
  navigation: undefined,
}

const refusals = ['NOT_LOGGED_IN', 'SESSION_REMOVED', 'FORBIDDEN', 'TWO_FACTOR_REQUIRED']

/** What the contract says must come of it; `undefined` is to be let through to the input's own fate. */
function expected({ access, stepUp }: Endpoint, role: Role): string | undefined {
  const { actions, steppedUp } = roles[role]
  if (access === 'public') return undefined
  if (role === 'disabled') return 'SESSION_REMOVED'
  if (!actions || role === 'otherSite') return 'NOT_LOGGED_IN'
  const wanted = needed[access]
  if (!wanted?.every((action) => (actions as readonly string[]).includes(action))) return 'FORBIDDEN'
  return stepUp && !steppedUp ? 'TWO_FACTOR_REQUIRED' : undefined
}

const cells = allEndpoints.flatMap((endpoint) => (Object.keys(roles) as Role[]).map((role) => ({ endpoint, role })))

test('A17 every role meets at every call what the contract declares', async () => {
  const wrong: string[] = []
  let cellsLet = 0
  for (const { endpoint, role } of cells) {
    const caller = await callerOf(t, role, site, other)
    const { body, headers } = bodyFor(endpoint)
    const { code, status } = await caller.post(endpoint.path, body, headers)
    const refusal = code && refusals.includes(code) ? code : undefined
    const wanted = expected(endpoint, role)
    if (refusal !== wanted || status >= 500)
      wrong.push(`${role} at ${endpoint.path}: ${status} ${code}, not ${wanted ?? 'let in'}`)
    if (refusal === undefined) cellsLet++
  }
  console.log(
    `A17: ${cells.length} cells, ${cellsLet} let in, ${wrong.length} not as declared${wrong.map((line) => `\n  ${line}`).join('')}`,
  )
  expect(wrong).toEqual([])
})

test('A17 a call that changes something is refused from elsewhere, whoever calls', async () => {
  const foreign: Record<string, string | undefined>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'cross-site', origin: site.origin },
    { 'sec-fetch-site': undefined },
    { 'sec-fetch-site': undefined, origin: 'null' },
    { 'sec-fetch-site': undefined, origin: other.origin },
    { 'sec-fetch-site': undefined, origin: `${site.origin}.evil.example` },
    { 'sec-fetch-site': undefined, origin: site.origin.replace('https', 'http') },
    { 'sec-fetch-site': '' },
  ]
  const caller = await callerOf(t, 'merchantAdmin', site)
  const guarded = allEndpoints.filter(({ harmless }) => !harmless)
  for (const endpoint of guarded) {
    for (const headers of foreign) {
      const sent = bodyFor(endpoint)
      const { code } = await caller.post(endpoint.path, sent.body, { ...sent.headers, ...headers })
      expect(code, `${endpoint.path} ${JSON.stringify(headers)}`).toBe('ORIGIN_REFUSED')
    }
  }
  console.log(`A17: ${guarded.length * foreign.length} calls from foreign origins, all refused`)
})
