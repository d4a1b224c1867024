import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { readManagedUser } from '@hufu/contract/manage-users'
import type { SiteConfig } from '@hufu/contract/site'
import { SignJWT } from 'jose'
import * as openid from 'openid-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Member, member } from '../../../test/account-user.ts'
import { fetchToken, machine, machineClient, machineWith, type TestMachine } from '../../../test/machine.ts'
import { authorize, oidcClients, relyingParty, secretOf } from '../../../test/oidc.ts'
import { startTestApp, type TestApp, type TestSite, testKeys } from '../../../test/test-app.ts'
import { finishRotation, rotateClient } from '../site/clients.service.ts'
import { changeSite, readConfig, saveConfig } from '../site/site.service.ts'

let t: TestApp
let other: TestApp
let site: TestSite
let user: Member
beforeAll(async () => {
  const keys = { HUFU_KEYS: testKeys() }
  t = await startTestApp(keys)
  other = await startTestApp({ HUFU_DATABASE_URL: t.deps.config.databaseUrl, ...keys })
  site = await siteWith(
    ...oidcClients,
    machineClient('erp', 'users:read'),
    machineClient('crm', 'users:read', 'users:contact'),
  )
  user = await member(t, site)
})
afterAll(async () => {
  await t.close()
  await other.close()
})

async function siteWith(...clients: NonNullable<SiteConfig['clients']>): Promise<TestSite> {
  const made = await t.codeSite({ clients })
  await other.deps.sites.refresh()
  return made
}

test('D350 a client of kind machine gets opaque tokens for ten minutes with the scopes it asks for, or all of its own', async () => {
  const all = await fetchToken(t, site, 'crm')
  expect(all).toMatchObject({ status: 200, expires_in: 600, scope: 'users:read users:contact', token_type: 'Bearer' })
  expect(all.access_token).toMatch(/^[\w-]{43}$/)
  expect(await fetchToken(t, site, 'crm', { scope: 'users:read' })).toMatchObject({ scope: 'users:read' })
})

test.each([
  ['a scope of others', 'erp', { scope: 'users:read users:contact' }, 'invalid_scope'],
  ['an unknown scope', 'erp', { scope: 'users:everything' }, 'invalid_scope'],
  ['a wrong secret', 'erp', { secret: 'x'.repeat(20) }, 'invalid_client'],
  ['a client of users', 'shop', {}, 'invalid_request'],
])('D350 %s gets no token', async (_what, id, params, error) => {
  expect(await fetchToken(t, site, id, params as never)).toEqual(
    expect.not.objectContaining({ access_token: expect.anything() }),
  )
  expect(await fetchToken(t, site, id, params as never)).toMatchObject({ error })
})

test('D350 a client of users gets no scope of machines, and the other way round neither is saved', async () => {
  const shop = await relyingParty(t, site, 'shop')
  const { to } = await authorize(shop, user, { scope: 'openid users:read' })
  expect(to.searchParams.get('error')).toBe('invalid_scope')
  const save = (kind: 'web' | 'machine', name: 'users:read' | 'phone') =>
    siteWith({
      ...machineClient('x'),
      kind,
      scopes: [{ name }],
      ...(kind === 'web' && { returns: ['https://x.example/'] }),
    })
  await expect(save('web', 'users:read')).rejects.toMatchObject({ code: 'INPUT_INVALID' })
  await expect(save('machine', 'phone')).rejects.toMatchObject({ code: 'INPUT_INVALID' })
})

async function signed(
  key: ReturnType<typeof generateKeyPairSync>['privateKey'],
  alg: string,
  id: string,
  at: TestSite,
) {
  return await new SignJWT()
    .setProtectedHeader({ alg })
    .setIssuer(id)
    .setSubject(id)
    .setAudience(at.origin)
    .setJti(randomUUID())
    .setIssuedAt()
    .setExpirationTime('1m')
    .sign(key as never)
}

const pairs = {
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  PS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
}

test.each(Object.entries(pairs))(
  'D351 a token by a key (%s) lives while that key is in the config',
  async (alg, make) => {
    const [first, second] = [make(), make()]
    const jwk = (pair: ReturnType<typeof make>) => pair.publicKey.export({ format: 'jwk' }) as Record<string, unknown>
    const { secret: _, ...client } = machineClient('keyed', 'users:read')
    const at = await siteWith({ ...client, publicKeys: [jwk(first), jwk(second)] })
    const tokenBy = async (pair: ReturnType<typeof make>) => {
      const { access_token: token } = await fetchToken(t, at, 'keyed', {
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: await signed(pair.privateKey, alg, 'keyed', at),
      })
      return machineWith(other, at, token)
    }
    const [gone, stays] = [await tokenBy(first), await tokenBy(second)]
    for (const each of [gone, stays]) expect(await look(each)).toBe('USER_UNKNOWN')
    await save(at, [{ ...client, publicKeys: [jwk(second)] }])
    await expect.poll(() => look(gone), { timeout: 1_000, interval: 20 }).toBe('TOKEN_INVALID')
    expect(await look(stays)).toBe('USER_UNKNOWN')
  },
)

/** The code of the answer for a user that there isn't. */
const look = async (by: TestMachine) => (await by.call(readManagedUser, { id: randomUUID() })).code

async function save(at: TestSite, clients: SiteConfig['clients']): Promise<void> {
  const { version: basedOn, config } = await readConfig(t.deps, at.id)
  await saveConfig(t.deps, at.id, { config: { ...config, clients }, basedOn }, 'test')
}

const ends: [string, (at: TestSite) => Promise<unknown>][] = [
  ['a client that was removed', (at) => save(at, [])],
  ['a client that lost the scope', (at) => save(at, [machineClient('erp', 'config:read')])],
  [
    'a client with another secret',
    (at) => save(at, [{ ...machineClient('erp', 'users:read'), secret: 'n'.repeat(20) }]),
  ],
  [
    'a client that is no machine any more',
    (at) => save(at, [{ ...machineClient('erp'), scopes: [], kind: 'web', returns: ['https://erp.example.com/'] }]),
  ],
  [
    'a client that has keys instead',
    (at) => save(at, [{ ...machineClient('erp', 'users:read'), publicKeys: [newKey()] }]),
  ],
  [
    'a secret that was rotated away',
    async (at) => {
      await rotateClient(t.deps, at.id, 'erp', 'test')
      await finishRotation(t.deps, at.id, 'erp', 'test')
    },
  ],
]

const newKey = () => pairs.EdDSA().publicKey.export({ format: 'jwk' }) as Record<string, unknown>

test.each(ends)('D351 the tokens of %s are refused within a second on every process', async (_what, end) => {
  const at = await siteWith(machineClient('erp', 'users:read'))
  const { token } = await machine(t, at, 'erp')
  const everywhere = [machineWith(t, at, token), machineWith(other, at, token)]
  for (const each of everywhere) expect(await look(each)).toBe('USER_UNKNOWN')
  await end(at)
  for (const each of everywhere)
    await expect.poll(() => look(each), { timeout: 1_000, interval: 20 }).toBe('TOKEN_INVALID')
})

test('D351 while a secret is replaced the tokens of both count, and those of the new one go on', async () => {
  const at = await siteWith(machineClient('erp', 'users:read'))
  const former = await machine(t, at, 'erp')
  const secret = await rotateClient(t.deps, at.id, 'erp', 'test')
  await t.deps.sites.refresh()
  const { access_token: token } = await fetchToken(t, at, 'erp', { secret })
  expect([await look(former), await look(machineWith(t, at, token))]).toEqual(['USER_UNKNOWN', 'USER_UNKNOWN'])
  await finishRotation(t.deps, at.id, 'erp', 'test')
  await t.deps.sites.refresh()
  expect([await look(former), await look(machineWith(t, at, token))]).toEqual(['TOKEN_INVALID', 'USER_UNKNOWN'])
})

test('D351 a disabled site refuses its machines within a second, and a revoked token is refused at once', async () => {
  const at = await siteWith(machineClient('erp', 'users:read'))
  const [revoked, { token }] = [await machine(t, at, 'erp'), await machine(t, at, 'erp')]
  await openid.tokenRevocation(await relyingParty(t, at, 'erp'), revoked.token)
  expect(await look(machineWith(other, at, revoked.token))).toBe('TOKEN_INVALID')
  await changeSite(t.deps, at.id, { status: 'disabled' }, 'test')
  const elsewhere = machineWith(other, at, token)
  await expect.poll(() => look(elsewhere), { timeout: 1_000, interval: 20 }).toBe('SITE_DISABLED')
})

test('D351 introspection calls a token dead as soon as its secret is', async () => {
  const gateway = { ...machineClient('gateway'), introspection: true }
  const at = await siteWith(machineClient('erp', 'users:read'), gateway)
  const { token } = await machine(t, at, 'erp')
  const inspect = async () => await openid.tokenIntrospection(await relyingParty(t, at, 'gateway'), token)
  expect(await inspect()).toMatchObject({ active: true, client_id: 'erp', scope: 'users:read' })
  await save(at, [{ ...machineClient('erp', 'users:read'), secret: 'n'.repeat(20) }, gateway])
  await t.deps.sites.refresh()
  expect(await inspect()).toEqual({ active: false })
})

test('D352 tokens of users are none to the management API, and tokens of machines none to userinfo', async () => {
  const shop = await relyingParty(t, site, 'shop')
  const { to, checks } = await authorize(shop, user, { scope: 'openid profile phone' })
  const { access_token: ofUser } = await openid.authorizationCodeGrant(shop, to, checks)
  expect(await look(machineWith(t, site, ofUser))).toBe('TOKEN_INVALID')
  const { token } = await machine(t, site, 'crm')
  await expect(openid.fetchUserInfo(shop, token, openid.skipSubjectCheck)).rejects.toThrow()
})

test('D352 a cookie proves nothing to the management API, nor does a token in the address or of another site', async () => {
  const abroad = await siteWith(machineClient('erp', 'users:read'))
  const { token } = await machine(t, site, 'erp')
  expect(await user.call(readManagedUser, { id: user.id })).toMatchObject({ status: 401, code: 'TOKEN_INVALID' })
  const address = `/api/manage/v1/users/${user.id}?access_token=${token}`
  const inAddress = await t.app.inject({ method: 'GET', url: address, headers: { host: site.host } })
  expect(inAddress.json().code).toBe('TOKEN_INVALID')
  expect(await look(machineWith(t, abroad, token))).toBe('TOKEN_INVALID')
  expect(inAddress.headers['www-authenticate']).toBe('Bearer error="invalid_token"')
})

test('D352 a token without the scope of the call is refused, and told which one it lacks', async () => {
  const { access_token: token } = await fetchToken(t, site, 'crm', { scope: 'users:contact' })
  const answer = await machineWith(t, site, token).call(readManagedUser, { id: user.id })
  expect(answer).toMatchObject({ status: 403, code: 'SCOPE_MISSING', details: { scope: 'users:read' } })
  expect(answer.headers['www-authenticate']).toBe('Bearer error="insufficient_scope", scope="users:read"')
})

test('D353 number and address of a user are masked, unless the token has the scope for them', async () => {
  const [erp, crm] = [await machine(t, site, 'erp'), await machine(t, site, 'crm')]
  const masked = await erp.call(readManagedUser, { id: user.id })
  expect(masked.data).toMatchObject({ id: user.id, status: 'active', operator: false })
  expect(masked.data?.mobile).toMatch(/^\d{3}\*{4}\d{4}$/)
  const whole = await crm.call(readManagedUser, { id: user.id.toUpperCase() })
  expect(whole.data?.mobile).toMatch(/^\d{11}$/)
  expect(JSON.stringify(masked.data)).not.toContain(whole.data?.mobile)
  expect(whole.headers.etag).not.toBe(masked.headers.etag)
})

test('D354 calls of a client are limited one by one, and each answer shows the state of the limit', async () => {
  const at = await siteWith(machineClient('erp', 'users:read'), machineClient('crm', 'users:read'))
  const [erp, crm] = [await machine(t, at, 'erp'), await machine(t, at, 'crm')]
  const first = await erp.call(readManagedUser, { id: randomUUID() })
  expect(first.headers).toMatchObject({ 'ratelimit-limit': '600', 'ratelimit-remaining': '599' })
  const again = machineWith(other, at, (await machine(t, at, 'erp')).token)
  const answers = await Promise.all(Array.from({ length: 610 }, () => look(again)))
  expect(answers.filter((code) => code === 'USER_UNKNOWN')).toHaveLength(599)
  const refused = await erp.call(readManagedUser, { id: randomUUID() })
  expect(refused).toMatchObject({ status: 429, code: 'TOO_MANY_REQUESTS', details: { retryAfter: expect.any(Number) } })
  expect(refused.headers).toMatchObject({ 'ratelimit-remaining': '0', 'retry-after': expect.any(String) })
  expect(await look(crm)).toBe('USER_UNKNOWN')
})

test('D355 what a client reads is summed by call and hour before it is shown', async () => {
  const at = await siteWith(machineClient('erp', 'users:read'))
  const erp = await machine(t, at, 'erp')
  await Promise.all(Array.from({ length: 5 }, () => look(erp)))
  const query = 'SELECT operator, call, sum(count)::int AS count FROM machine_read WHERE site_id = $1 GROUP BY 1, 2'
  const { rows } = await t.deps.pool.query(query, [at.id])
  expect(rows).toEqual([{ operator: 'client:erp', call: 'GET /api/manage/v1/users/:id', count: 5 }])
})

test('D007 a read of the management API answers to GET alone', async () => {
  for (const method of ['POST', 'PUT', 'DELETE', 'HEAD'] as const) {
    const url = `/api/manage/v1/users/${user.id}`
    expect((await t.app.inject({ method, url, headers: { host: site.host } })).statusCode, method).toBe(405)
  }
})

test('D351 a secret is never stored with a token', async () => {
  await machine(t, site, 'erp')
  const { rows } = await t.deps.pool.query(
    "SELECT payload::text AS text FROM oidc_item WHERE kind = 'ClientCredentials'",
  )
  expect(rows.length).toBeGreaterThan(0)
  for (const { text } of rows) expect(text).not.toContain(secretOf('erp'))
})
