import type { Endpoint } from '@hufu/contract/endpoint'
import { machineScopes } from '@hufu/contract/machine-scopes'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { machineClient } from '../../apps/server/test/machine.ts'
import { oidcClients } from '../../apps/server/test/oidc.ts'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { callerOf } from '../harness/callers.ts'
import { type Harness, openHarness } from '../harness/harness.ts'
import { together } from '../harness/http.ts'
import { askToken, callAsMachine, tokenOf } from '../harness/machines.ts'
import { tokensOf } from '../harness/oidc.ts'
import { scopeOfCall } from './a57-scope-of-calls.ts'
import { managedEndpoints, sampleFor } from './samples.ts'

let t: Harness
let site: TestSite
let other: TestSite
beforeAll(async () => {
  t = await openHarness()
  const clients = [
    ...oidcClients,
    ...machineScopes.map((scope) => machineClient(scope.replace(':', '-'), scope)),
    machineClient('none'),
    machineClient('all', ...machineScopes),
  ]
  site = await t.codeSite({ clients })
  other = await t.codeSite({ clients })
})
afterAll(() => t.close())

const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`

test('A57 every call of the management API declares the scope that the table of this attack says, and none is missing there', () => {
  const declared = managedEndpoints.map((endpoint) => [nameOf(endpoint), endpoint.scope])
  expect(Object.fromEntries(declared)).toEqual(Object.fromEntries(scopeOfCall))
})

const refusals = ['TOKEN_INVALID', 'SCOPE_MISSING']

/** The refusal of a call, or undefined where the input decides. */
async function met(token: string | undefined, endpoint: Endpoint, cookies?: string): Promise<string | undefined> {
  const headers = cookies === undefined ? {} : { cookie: cookies }
  const { code, status } = await callAsMachine(site, token, endpoint, sampleFor(endpoint), { headers })
  if (status >= 500) return `${status}`
  return code !== undefined && refusals.includes(code) ? code : undefined
}

test('A57 every scope opens its own calls and no other, at both processes', async () => {
  const holders: [string, readonly string[]][] = [
    ...machineScopes.map((scope): [string, string[]] => [scope.replace(':', '-'), [scope]]),
    ['none', []],
    ['all', machineScopes],
  ]
  const cells = holders.flatMap(([client, scopes]) =>
    managedEndpoints.map((endpoint) => ({ client, scopes, endpoint })),
  )
  const tokens = new Map<string, string>()
  for (const [client] of holders) tokens.set(client, await tokenOf(site, client))
  const wrong: string[] = []
  let opened = 0
  await together(cells.length * 2, 8, async (index) => {
    const { client, scopes, endpoint } = cells[index % cells.length] as (typeof cells)[number]
    const scope = scopeOfCall.get(nameOf(endpoint)) ?? ''
    const wanted = scopes.includes(scope) ? undefined : 'SCOPE_MISSING'
    const got = await met(tokens.get(client), endpoint)
    if (got !== wanted) wrong.push(`${client} at ${nameOf(endpoint)}: ${got}, not ${wanted}`)
    if (got === undefined) opened++
  })
  expect(wrong).toEqual([])
  expect(opened).toBe(managedEndpoints.length * 4)
  figure(`of ${cells.length} cells of scopes and calls not as declared`, wrong.length, ['=', 0])
})

test('A57 no call opens to a token that is narrower than its client, made up, of a user, of another site or beside a cookie', async () => {
  const user = await t.session(site, (await t.user(site)).id)
  const admin = await callerOf(t, 'merchantAdmin', site)
  const cookies = [...admin.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const ofUser = (await tokensOf(site, user)).access_token
  const foreign = await tokenOf(other, 'all')
  const good = await tokenOf(site, 'all')
  const without = async (scope: string | undefined) =>
    await tokenOf(site, 'all', machineScopes.filter((each) => each !== scope).join(' '))
  let tries = 0
  const wrong: string[] = []
  const check = async (
    endpoint: Endpoint,
    what: string,
    token: string | undefined,
    wanted: string,
    cookie?: string,
  ) => {
    tries++
    const got = await met(token, endpoint, cookie)
    if (got !== wanted) wrong.push(`${what} at ${nameOf(endpoint)}: ${got}`)
  }
  for (const endpoint of managedEndpoints) {
    await check(endpoint, 'nothing', undefined, 'TOKEN_INVALID')
    await check(endpoint, 'a cookie of an ADMIN', undefined, 'TOKEN_INVALID', cookies)
    await check(endpoint, 'a cookie of an ADMIN beside a bad token', 'x'.repeat(43), 'TOKEN_INVALID', cookies)
    await check(endpoint, 'a token of a user', ofUser, 'TOKEN_INVALID')
    await check(endpoint, 'a token of another site', foreign, 'TOKEN_INVALID')
    await check(endpoint, 'a changed token', `${good.slice(0, -1)}${good.endsWith('A') ? 'B' : 'A'}`, 'TOKEN_INVALID')
    await check(endpoint, 'a narrower token', await without(endpoint.scope), 'SCOPE_MISSING')
    await check(endpoint, 'a narrower token beside a cookie', await without(endpoint.scope), 'SCOPE_MISSING', cookies)
  }
  expect(wrong).toEqual([])
  figure(`of ${tries} calls without the right token that passed`, wrong.length, ['=', 0])
})

test('A57 no request parameter gives a machine more than its client has', async () => {
  const given: string[] = []
  const asked = machineScopes.filter((scope) => scope !== 'users:read')
  const tries = [
    ...asked.map((scope) => ({ scope })),
    ...asked.map((scope) => ({ scope: `users:read ${scope}` })),
    { scope: 'users:*' },
    { scope: 'users:read\tusers:write' },
    { scope: 'USERS:WRITE' },
    { scope: 'openid profile phone' },
    { scope: 'users:write', client_id: 'all' },
    { scope: 'users:write', resource: 'https://api.example.com' },
    { grant_type: 'authorization_code', code: 'x', scope: 'users:write' },
    { grant_type: 'refresh_token', refresh_token: 'x', scope: 'users:write' },
    { grant_type: 'password', username: 'x', password: 'x', scope: 'users:write' },
  ]
  for (const params of tries) {
    const { access_token: token, scope } = await askToken(site, 'users-read', params as Record<string, string>)
    if (token && scope !== 'users:read') given.push(`${JSON.stringify(params)}: ${scope}`)
    for (const endpoint of managedEndpoints.filter((each) => token && each.scope !== 'users:read'))
      if ((await met(token, endpoint)) === undefined) given.push(`${JSON.stringify(params)}: ${endpoint.path}`)
  }
  expect(given).toEqual([])
  figure(`of ${tries.length} requests for more scopes that got one`, given.length, ['=', 0])
})
