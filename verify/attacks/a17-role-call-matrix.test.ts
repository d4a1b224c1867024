import { type Access, type Endpoint, requestOf } from '@hufu/contract/endpoint'
import { eventsPath } from '@hufu/contract/events'
import { type MerchantRight, merchantRights } from '@hufu/contract/merchant-rights'
import { readUser, setUserRights, setUserStatus } from '@hufu/contract/merchant-users'
import { pages } from '@hufu/contract/pages'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { oidcClients } from '../../apps/server/test/oidc.ts'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { newWechat } from '../../apps/server/test/wechat-phone.ts'
import { figure } from '../harness/assert-figure.ts'
import { callerOf, type Role, roles } from '../harness/callers.ts'
import { type Browser, freshAddress, type Harness, openHarness } from '../harness/harness.ts'
import { together } from '../harness/http.ts'
import { openStream } from '../harness/stream.ts'
import { type Row, whoMayCall } from './a17-who-may-call.ts'
import { files, type ServedFile } from './files.ts'
import { routeCalls } from './oidc-routes.ts'
import { allEndpoints, allNavigations, bodyFor, managedEndpoints, sampleFor } from './samples.ts'
import { startWithPages } from './with-pages.ts'

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
  machine: undefined,
}

const refusals = [
  'NOT_LOGGED_IN',
  'SESSION_REMOVED',
  'FORBIDDEN',
  'FACTOR_ENROL_REQUIRED',
  'TWO_FACTOR_REQUIRED',
  'CLIENT_REFUSED',
  'TOKEN_INVALID',
]

/** The expected refusal; `undefined` means that access is granted and the input decides. */
function expected({ access, stepUp }: Row, role: Role): string | undefined {
  const { actions, steppedUp } = roles[role]
  if (access === 'public') return undefined
  // For every role: what counts is the client's secret, and no role here has it.
  if (access === 'client') return 'CLIENT_REFUSED'
  if (access === 'machine') return 'TOKEN_INVALID'
  if (role === 'disabled') return 'SESSION_REMOVED'
  if (!actions || role === 'otherSite') return 'NOT_LOGGED_IN'
  const wanted = needed[access]
  if (!wanted?.every((action) => (actions as readonly string[]).includes(action))) return 'FORBIDDEN'
  if (wanted.length > 0 && role === 'adminWithoutFactor') return 'FACTOR_ENROL_REQUIRED'
  if (wanted.length > 0 && role === 'adminOfYesterday') return 'TWO_FACTOR_REQUIRED'
  return stepUp && !steppedUp ? 'TWO_FACTOR_REQUIRED' : undefined
}

function rowOf({ path }: Endpoint): Row {
  const row = whoMayCall.get(path)
  if (!row) throw new Error(`${path} is not in the table`)
  return row
}

const declaredEndpoints = [...allEndpoints, ...managedEndpoints]

/** A machine's call is made as a machine would, but with what the role has: a cookie. */
async function callAs(caller: Browser, endpoint: Endpoint) {
  if (endpoint.access !== 'machine') {
    const { body, headers } = bodyFor(endpoint)
    return await caller.post(endpoint.path, body, headers)
  }
  const { url, body } = requestOf(endpoint, sampleFor(endpoint))
  return body ? await caller.post(url, JSON.stringify(body)) : await caller.get(url)
}

const cells = declaredEndpoints.flatMap((endpoint) =>
  (Object.keys(roles) as Role[]).map((role) => ({ endpoint, role })),
)

test('A17 every call declares what the table of this attack says, and no call is missing there', () => {
  const declared = declaredEndpoints.map(({ path, access, stepUp }): [string, Row] => [path, { access, stepUp }])
  expect(Object.fromEntries(declared)).toEqual(Object.fromEntries(whoMayCall))
})

test('A17 every role gets at every call what the table says', async () => {
  const wrong: string[] = []
  let cellsLet = 0
  await together(cells.length, 8, async (index) => {
    const { endpoint, role } = cells[index] as (typeof cells)[number]
    const caller = await callerOf(t, role, site, other)
    const { code, status } = await callAs(caller, endpoint)
    const refusal = code && refusals.includes(code) ? code : undefined
    const wanted = expected(rowOf(endpoint), role)
    if (refusal !== wanted || status >= 500)
      wrong.push(`${role} at ${endpoint.path}: ${status} ${code}, not ${wanted ?? 'admitted'}`)
    if (refusal === undefined) cellsLet++
  })
  console.log(`A17: ${cells.length} cells, ${cellsLet} admitted${wrong.map((line) => `\n  ${line}`).join('')}`)
  figure(`of ${cells.length} cells of roles and calls not as declared`, wrong.length, ['=', 0])
})

const allRoles = Object.keys(roles) as Role[]

/** What a role receives for a file; for the stream, which stays open, whether it exists. */
async function metBy(caller: Browser, { path }: ServedFile): Promise<string | undefined> {
  if (path !== eventsPath) return (await caller.get(`${path}?id=1b4e28ba-2fa1-41d2-883f-0016d3cca427`)).code
  const stream = await openStream(site, caller)
  stream.close()
  return stream.status === 200 ? undefined : 'refused'
}

test('A17 every role gets at every file, and at the stream, what it would at such a call', async () => {
  const wrong: string[] = []
  for (const file of files) {
    for (const role of allRoles) {
      const met = await metBy(await callerOf(t, role, site, other), file)
      const refusal = expected(file, role)
      // A made-up id finds no file.
      const wanted =
        file.path === eventsPath ? refusal && 'refused' : (refusal ?? (file.calls ? 'NOT_FOUND' : undefined))
      if (met !== wanted) wrong.push(`${role} at ${file.path}: ${met}, not ${wanted}`)
    }
  }
  expect(wrong).toEqual([])
  figure(`of ${files.length * allRoles.length} cells of roles and files not as declared`, wrong.length, ['=', 0])
})

test('A17 every page is the same document for every role: what it shows it must ask for', async () => {
  const addresses = Object.values(pages).map((page) => page.replace(/:\w+/g, '1b4e28ba'))
  const server = await startWithPages(site)
  const wrong: string[] = []
  for (const role of allRoles) {
    const caller = t.browser(site, { urls: [server.url] })
    for (const [name, value] of (await callerOf(t, role, site, other)).cookies) caller.cookies.set(name, value)
    for (const address of addresses) {
      const [own, visitors] = await Promise.all([
        caller.get(address),
        t.browser(site, { urls: [server.url] }).get(address),
      ])
      if (own.status !== 200 || own.body !== visitors.body || own.headers['set-cookie'])
        wrong.push(`${role} at ${address}: ${own.status}`)
    }
  }
  await server.stop()
  expect(wrong).toEqual([])
  figure(`of ${addresses.length * allRoles.length} cells of roles and pages that differ`, wrong.length, ['=', 0])
})

const rightsOf = async (id: string) => {
  const query = 'SELECT action FROM permission WHERE site_id = $1 AND user_id = $2 ORDER BY action'
  return (await t.deps.pool.query(query, [site.id, id])).rows.map(({ action }) => action as MerchantRight)
}

test('A17 no role but an ADMIN after a step-up changes rights or disables an operator, for any target user', async () => {
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

test('A17 a call that changes something is refused from another origin, for every role', async () => {
  const foreign = foreignCalls()
  const caller = await callerOf(t, 'merchantAdmin', site)
  // A client's server has no origin; its secret or token takes the place of one.
  const guarded = allEndpoints.filter(({ harmless, access }) => !harmless && access !== 'client')
  let refused = 0
  for (const endpoint of guarded) {
    for (const headers of foreign) {
      const sent = bodyFor(endpoint)
      const { code } = await caller.post(endpoint.path, sent.body, { ...sent.headers, ...headers })
      expect(code, `${endpoint.path} ${JSON.stringify(headers)}`).toBe('ORIGIN_REFUSED')
      refused++
    }
  }
  figure('calls from foreign origins refused', refused, ['=', guarded.length * foreign.length])
})

/** Everything that a navigation could have changed of a user. */
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

test('A17 a navigation that only our own pages may start leads home when another origin starts it', async () => {
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

test('A17 at the routes of OpenID Connect no role counts: a client, a code or a token decides', async () => {
  const at = await t.codeSite({ clients: oidcClients })
  const wrong: string[] = []
  for (const role of allRoles) {
    const caller = await callerOf(t, role, at, other)
    for (const { path, method, navigation } of routeCalls) {
      const type = { 'content-type': 'application/x-www-form-urlencoded' }
      const { status, headers } = await (method === 'GET'
        ? caller.get(path, { accept: 'text/html' })
        : caller.post(path, 'client_id=made-up&token=x&grant_type=client_credentials', type))
      const open = method === 'GET' && /jwks|well-known/.test(path)
      const led = /^\/(authorizeError|logout|oidc)\b/.test(headers.location ?? '')
      const fine = open ? status === 200 : navigation ? status === 303 && led : status >= 400 && status < 500
      if (!fine) wrong.push(`${role} at ${method} ${path}: ${status} ${headers.location}`)
    }
  }
  expect(wrong).toEqual([])
  figure(`of ${allRoles.length * routeCalls.length} roles at routes of the provider not as declared`, wrong.length, [
    '=',
    0,
  ])
})
