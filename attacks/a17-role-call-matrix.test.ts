import type { Access, Endpoint } from '@hufu/contract/endpoint'
import { exportFilePath, type MerchantRight, merchantRights } from '@hufu/contract/merchant-rights'
import { readUser, setUserRights, setUserStatus } from '@hufu/contract/merchant-users'
import { dataFilePath } from '@hufu/contract/personal-data-rules'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestSite } from '../apps/server/test/test-app.ts'
import { newWechat } from '../apps/server/test/wechat-phone.ts'
import { callerOf, type Role, roles } from './callers.ts'
import { freshAddress, type Harness, openHarness } from './harness.ts'
import { allEndpoints, allNavigations, bodyFor } from './samples.ts'

let t: Harness
let site: TestSite
let other: TestSite
beforeAll(async () => {
  t = await openHarness()
  const clients = [{ id: 'text', name: '店', secret: 'a17-client-secret', sources: ['https://www.example.com'] }]
  site = await t.codeSite({ clients, wechat: await newWechat() })
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
}

const refusals = ['NOT_LOGGED_IN', 'SESSION_REMOVED', 'FORBIDDEN', 'TWO_FACTOR_REQUIRED', 'CLIENT_REFUSED']

/** What the contract says must come of it; `undefined` is to be let through to the input's own fate. */
function expected({ access, stepUp }: Pick<Endpoint, 'access' | 'stepUp'>, role: Role): string | undefined {
  const { actions, steppedUp } = roles[role]
  if (access === 'public') return undefined
  // Whoever calls: what counts is the client's secret, and nobody here has it.
  if (access === 'client') return 'CLIENT_REFUSED'
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

/** Files that browsers fetch: not of the contract's list, but guarded like a call that is. */
const files: [path: string, declared: Pick<Endpoint, 'access' | 'stepUp'>][] = [
  [exportFilePath, { access: 'merchantAdmin', stepUp: false }],
  [dataFilePath, { access: 'user', stepUp: true }],
  ['/api/feedback/picture', { access: 'user', stepUp: false }],
]

test.each(files)('A17 the file at %s is met by every role like such a call', async (path, declared) => {
  for (const role of Object.keys(roles) as Role[]) {
    const caller = await callerOf(t, role, site, other)
    const { code } = await caller.get(`${path}?id=1b4e28ba-2fa1-41d2-883f-0016d3cca427`)
    expect(code, role).toBe(expected(declared, role) ?? 'NOT_FOUND')
  }
})

const rightsOf = async (id: string) => {
  const query = 'SELECT action FROM permission WHERE site_id = $1 AND user_id = $2 ORDER BY action'
  return (await t.deps.pool.query(query, [site.id, id])).rows.map(({ action }) => action as MerchantRight)
}

test('A17 no role but a checked ADMIN changes rights or disables an operator, whoever it is tried on', async () => {
  let tries = 0
  for (const role of Object.keys(roles).filter((name) => name !== 'merchantAdmin') as Role[]) {
    const victim = await callerOf(t, 'merchantWrite', site)
    const caller = await callerOf(t, role, site, other)
    for (const id of [victim.id, caller.id].filter((each) => each !== undefined)) {
      const before = await rightsOf(id)
      const answers = [
        await caller.call(setUserRights, { id, actions: [...merchantRights] }),
        await caller.call(setUserRights, { id, actions: [] }),
        await caller.call(setUserStatus, { id, status: 'disabled' }),
      ]
      expect(
        answers.filter(({ status }) => status === 200),
        role,
      ).toEqual([])
      expect(await rightsOf(id), role).toEqual(before)
      tries += answers.length
    }
    expect((await victim.call(readUser, { id: victim.id ?? '' })).status, role).toBe(200)
  }
  console.log(`A17: ${tries} tries to change an operator without the right or the check, 0 changes`)
})

const foreignCalls = (): Record<string, string | undefined>[] => [
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

test('A17 a call that changes something is refused from elsewhere, whoever calls', async () => {
  const foreign = foreignCalls()
  const caller = await callerOf(t, 'merchantAdmin', site)
  // Another site's server has no origin; its secret stands in for one.
  const guarded = allEndpoints.filter(({ harmless, access }) => !harmless && access !== 'client')
  for (const endpoint of guarded) {
    for (const headers of foreign) {
      const sent = bodyFor(endpoint)
      const { code } = await caller.post(endpoint.path, sent.body, { ...sent.headers, ...headers })
      expect(code, `${endpoint.path} ${JSON.stringify(headers)}`).toBe('ORIGIN_REFUSED')
    }
  }
  console.log(`A17: ${guarded.length * foreign.length} calls from foreign origins, all refused`)
})

/** Everything that a navigation could have changed of a person. */
async function stateOf(id: string | undefined): Promise<unknown> {
  const tables = ['users', 'identity', 'user_identity', 'session', 'wechat_ticket']
  const rows = tables.map(async (table) => {
    const own = table === 'users' ? 'id' : 'user_id'
    const query = `SELECT to_jsonb(x)::text AS row FROM ${table} x WHERE site_id = $1 AND ${own} = $2 ORDER BY 1`
    return (await t.deps.pool.query(query, [site.id, id ?? null])).rows
  })
  return await Promise.all(rows)
}

test('A17 without a ticket of its own session a personal navigation leads to /user and changes nothing', async () => {
  const personal = allNavigations.filter(({ path }) => path.startsWith('/api/user/'))
  const owner = await callerOf(t, 'user', site)
  let cellsMet = 0
  for (const { path } of personal) {
    for (const role of Object.keys(roles) as Role[]) {
      const caller = await callerOf(t, role, site, other)
      const before = await stateOf(caller.id)
      const stolen = (await owner.post('/api/user/wechat/ticket', '{}')).data as string
      for (const ticket of [undefined, '', 'made-up', stolen]) {
        const query = ticket === undefined ? '' : `&ticket=${ticket}`
        const { status, headers } = await caller.get(`${path}?source=%2Fuser%2Ftheme${query}`)
        expect([status, headers.location], `${role} at ${path}${query}`).toEqual([302, '/user'])
        cellsMet++
      }
      expect(await stateOf(caller.id), `${role} at ${path}`).toEqual(before)
    }
  }
  console.log(`A17: ${cellsMet} personal navigations without a ticket of their own, all led to /user`)
  expect(personal.length).toBeGreaterThan(0)
})

test('A17 a navigation that only our own pages may begin leads home when it is begun elsewhere', async () => {
  const own = allNavigations.filter(({ fromHere }) => fromHere)
  const foreign = foreignCalls().map(({ origin, ...headers }) => ({ ...headers, referer: origin && `${origin}/x` }))
  for (const { path, home } of own) {
    for (const headers of foreign) {
      const reply = await t.browser(site).get(`${path}?source=%2Fuser%2Ftheme`, headers)
      expect([reply.status, reply.headers.location], `${path} ${JSON.stringify(headers)}`).toEqual([302, home])
    }
    const here = await t.browser(site, { address: freshAddress() }).get(`${path}?source=%2Fuser%2Ftheme`)
    expect(here.headers.location, path).not.toBe(home)
  }
  console.log(`A17: ${own.length * foreign.length} navigations begun elsewhere, all led home`)
  expect(own.length).toBeGreaterThan(0)
})
