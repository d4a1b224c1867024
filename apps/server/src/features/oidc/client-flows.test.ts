import { randomUUID } from 'node:crypto'
import { answerInteraction } from '@hufu/contract/oidc'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import * as openid from 'openid-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  authorize,
  back,
  fetchFrom,
  interactionIn,
  oidcClients,
  relyingParty,
  resume,
  secretOf,
} from '../../../test/oidc.ts'
import { startTestApp, type TestApp, type TestSite, times } from '../../../test/test-app.ts'
import type { Client } from '../../shared/sites/client-gate.ts'
import { readConfig, saveConfig } from '../site/site.service.ts'

const keys = await generateKeyPair('ES256', { extractable: true })
const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k1', alg: 'ES256' }
const signed = 'https://signed.example.com/callback'
const page = 'https://page.example.com/'

let t: TestApp
let site: TestSite
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite({
    clients: [
      ...oidcClients,
      { id: 'signed', name: '以密钥证明', kind: 'web', firstParty: true, publicKeys: [jwk], returns: [signed] },
      { id: 'robot', name: '机器', kind: 'machine', publicKeys: [jwk] },
    ],
  })
})
afterAll(() => t.close())

const discover = (id: string, authentication: openid.ClientAuth) =>
  openid.discovery(new URL(site.origin), id, undefined, authentication, {
    [openid.customFetch]: fetchFrom(t) as never,
  })

/** What a client sends to prove itself by its key. */
const assertion = (claims: Record<string, unknown> = {}, key = keys.privateKey) =>
  new SignJWT({ jti: randomUUID(), iss: 'robot', sub: 'robot', aud: site.origin, ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
    .setIssuedAt()
    .setExpirationTime('1m')
    .sign(key)

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const post = (path: string, body: Record<string, string>, headers: Record<string, string> = {}) =>
  t.app.inject({
    method: 'POST',
    url: path,
    headers: { ...form, host: site.host, ...headers },
    payload: `${new URLSearchParams(body)}`,
  })

const tokenBy = (jwt: string) =>
  post('/oidc/token', {
    grant_type: 'client_credentials',
    client_id: 'robot',
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: jwt,
  })

test('D274 a client proves itself by its key, without a secret', async () => {
  const client = await discover('signed', openid.PrivateKeyJwt({ key: keys.privateKey, kid: 'k1' }))
  const user = await t.signIn(site)
  const { to, checks } = await authorize(client, user, { redirect_uri: signed, scope: 'openid' })
  const tokens = await openid.authorizationCodeGrant(client, to, checks)
  expect(tokens.claims()?.sub).toBe(user.id)
  const bySecret = await post('/oidc/token', {
    grant_type: 'client_credentials',
    client_id: 'robot',
    client_secret: 'x',
  })
  expect(bySecret.statusCode).toBe(401)
})

test('D274 what proves a client is good once, also when it is sent twenty times at the same moment', async () => {
  const jwt = await assertion()
  const replies = await Promise.all(times(20, () => tokenBy(jwt)))
  expect(replies.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
  expect(replies.filter(({ statusCode }) => statusCode === 401)).toHaveLength(19)
  expect((await tokenBy(jwt)).json()).toMatchObject({ error: 'invalid_client' })
  expect((await tokenBy(await assertion())).statusCode).toBe(200)
})

test.each([
  ['for another provider', { aud: 'https://other.example.com' }, 401],
  ['of another client', { sub: 'signed', iss: 'signed' }, 400],
  ['without an id', { jti: undefined }, 401],
  ['past its time', { exp: 1 }, 401],
])('D274 a proof %s is refused', async (_what, claims, status) => {
  const signing = new SignJWT({
    jti: randomUUID(),
    iss: 'robot',
    sub: 'robot',
    aud: site.origin,
    exp: soon(),
    ...(claims as JWTPayload),
  })
  const sent = await signing.setProtectedHeader({ alg: 'ES256', kid: 'k1' }).sign(keys.privateKey)
  expect((await tokenBy(sent)).statusCode).toBe(status)
})
const soon = () => Math.floor(Date.now() / 1000) + 60

test('D274 a proof by another key is refused', async () => {
  const { privateKey } = await generateKeyPair('ES256')
  expect((await tokenBy(await assertion({}, privateKey))).statusCode).toBe(401)
})

test('D274 a secret is taken in the body as well', async () => {
  const shop = await discover('shop', openid.ClientSecretPost(secretOf('shop')))
  const user = await t.signIn(site)
  const { to, checks } = await authorize(shop, user)
  expect((await openid.authorizationCodeGrant(shop, to, checks)).claims()?.sub).toBe(user.id)
})

test('D274 PKCE with S256 is demanded, and its verifier', async () => {
  const shop = await relyingParty(t, site, 'shop')
  const user = await t.signIn(site)
  const without = new URLSearchParams({ client_id: 'shop', redirect_uri: back, response_type: 'code', scope: 'openid' })
  const plain = { code_challenge: 'v'.repeat(43), code_challenge_method: 'plain' }
  for (const query of [without, new URLSearchParams([...without, ...Object.entries(plain)])]) {
    const to = new URL(await user.go(`/oidc/authorize?${query}`))
    expect(to.searchParams.get('error')).toBe('invalid_request')
    expect(to.searchParams.has('code')).toBe(false)
  }
  const { to, checks } = await authorize(shop, user)
  const wrong = { ...checks, pkceCodeVerifier: openid.randomPKCECodeVerifier() }
  await expect(openid.authorizationCodeGrant(shop, to, wrong)).rejects.toMatchObject({ error: 'invalid_grant' })
})

test('D275 a page of a client calls from its own origin, without cookies; no other origin may', async () => {
  const client = await relyingParty(t, site, 'page')
  const user = await t.signIn(site)
  const { to, checks } = await authorize(client, user, { redirect_uri: page })
  const body = {
    grant_type: 'authorization_code',
    client_id: 'page',
    code: to.searchParams.get('code') ?? '',
    redirect_uri: page,
    code_verifier: checks.pkceCodeVerifier ?? '',
  }
  const other = await post('/oidc/token', body, { origin: 'https://evil.example.com' })
  expect(other.headers['access-control-allow-origin']).toBeUndefined()
  expect(other.statusCode).toBe(400)
  const again = await authorize(client, user, { redirect_uri: page })
  const fresh = {
    ...body,
    code: again.to.searchParams.get('code') ?? '',
    code_verifier: again.checks.pkceCodeVerifier ?? '',
  }
  const own = await post('/oidc/token', fresh, { origin: 'https://page.example.com' })
  expect(own.statusCode).toBe(200)
  expect(own.headers['access-control-allow-origin']).toBe('https://page.example.com')
  expect(own.headers['access-control-allow-credentials']).toBeUndefined()
  const info = await t.app.inject({
    url: '/oidc/userinfo',
    headers: {
      host: site.host,
      origin: 'https://page.example.com',
      authorization: `Bearer ${own.json().access_token}`,
    },
  })
  expect(info.json().sub).toBe(user.id)
  expect(info.headers['access-control-allow-origin']).toBe('https://page.example.com')
  expect(info.headers['access-control-allow-credentials']).toBeUndefined()
})

test.each(['/oidc/token', '/oidc/userinfo', '/oidc/revoke'])(
  'D275 a preflight of %s says so without credentials',
  async (url) => {
    const reply = await t.app.inject({
      method: 'OPTIONS',
      url,
      headers: {
        host: site.host,
        origin: 'https://page.example.com',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      },
    })
    expect(reply.statusCode).toBe(204)
    expect(reply.headers['access-control-allow-methods']).toContain('POST')
    expect(reply.headers['access-control-allow-credentials']).toBeUndefined()
  },
)

test('D275 metadata and keys are read from any origin', async () => {
  for (const url of ['/.well-known/openid-configuration', '/oidc/jwks']) {
    const reply = await t.app.inject({ url, headers: { host: site.host, origin: 'https://any.example.com' } })
    expect(reply.headers).toMatchObject({
      'access-control-allow-origin': expect.stringMatching(/^(\*|https:\/\/any\.example\.com)$/),
      'cache-control': 'public, max-age=300',
    })
  }
})

test('D276 an app listens on any port of the machine; a third party asks again each time', async () => {
  const app = await relyingParty(t, site, 'app')
  const user = await t.signIn(site)
  for (const port of [49152, 50001]) {
    const asked = { redirect_uri: `http://127.0.0.1:${port}/callback`, scope: 'openid profile' }
    const { to, checks } = await authorize(app, user, asked)
    expect(to.pathname).toMatch(/^\/consent\//)
    await user.call(answerInteraction, { id: interactionIn(to), accept: true })
    const returned = await resume(user, to)
    expect(returned.host).toBe(`127.0.0.1:${port}`)
    const tokens = await openid.authorizationCodeGrant(app, returned, checks)
    expect(tokens.claims()?.sub).toMatch(/^[\w-]{43}$/)
  }
  const elsewhere = await authorize(app, user, { redirect_uri: 'http://127.0.0.1:49152/other', scope: 'openid' })
  expect(elsewhere.to.pathname).toBe('/authorizeError/invalid_redirect_uri')
})

/** Saves the site with other clients, as the back-office does. */
async function saveClients(of: TestSite, change: (clients: Client[]) => Client[]): Promise<void> {
  const { version, config } = await readConfig(t.deps, of.id)
  const clients = change(config.clients ?? [])
  await saveConfig(t.deps, of.id, { config: { ...config, clients }, basedOn: version }, 'test')
  await t.deps.sites.refresh()
}

test('D277 what a client holds is worth nothing once it is removed', async () => {
  const own = await t.codeSite({ clients: oidcClients })
  const [shop, user] = [await relyingParty(t, own, 'shop'), await t.signIn(own)]
  const { to, checks } = await authorize(shop, user)
  const tokens = await openid.authorizationCodeGrant(shop, to, checks)
  const waiting = await authorize(shop, user)
  await saveClients(own, (clients) => clients.filter(({ id }) => id !== 'shop'))
  await expect(openid.fetchUserInfo(shop, tokens.access_token, user.id)).rejects.toThrow()
  const refused = { status: 401 }
  await expect(openid.refreshTokenGrant(shop, tokens.refresh_token ?? '')).rejects.toMatchObject(refused)
  await expect(openid.authorizationCodeGrant(shop, waiting.to, waiting.checks)).rejects.toMatchObject(refused)
  const gateway = await relyingParty(t, own, 'worker')
  expect(await openid.tokenIntrospection(gateway, tokens.access_token)).toEqual({ active: false })
  expect((await authorize(shop, user)).to.pathname).toBe('/authorizeError/invalid_client')
})

test('D277 while a secret is replaced both count, afterwards the new one', async () => {
  const own = await t.codeSite({ clients: oidcClients })
  const by = (secret: string) =>
    post(
      '/oidc/token',
      { grant_type: 'client_credentials' },
      {
        host: own.host,
        authorization: `Basic ${Buffer.from(`worker:${secret}`).toString('base64')}`,
      },
    ).then(({ statusCode }) => statusCode)
  const next = 'another-secret-of-the-worker'
  const change = (more: Partial<Client>) =>
    saveClients(own, (clients) => clients.map((each) => (each.id === 'worker' ? { ...each, ...more } : each)))
  await change({ secret: next, previousSecret: secretOf('worker') })
  expect([await by(next), await by(secretOf('worker')), await by('neither-of-the-two')]).toEqual([200, 200, 401])
  await change({ previousSecret: undefined })
  expect([await by(next), await by(secretOf('worker'))]).toEqual([200, 401])
})
