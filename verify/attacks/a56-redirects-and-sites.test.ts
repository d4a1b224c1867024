import { createHmac, createPublicKey, generateKeyPairSync, type JsonWebKey, sign } from 'node:crypto'
import { readInteraction } from '@hufu/contract/oidc'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { type Browser, few, freshAddress, type Harness, nextUrl, openHarness } from '../harness/harness.ts'
import { send } from '../harness/http.ts'
import {
  authorize,
  exchange,
  interactionIn,
  introspect,
  navigate,
  postForm,
  proofOf,
  refresh,
  resume,
  tokensOf,
  userinfo,
  withClients,
} from '../harness/oidc.ts'
import { escapes, scriptAddresses } from './payloads.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const publicJwk = { ...publicKey.export({ format: 'jwk' }), kid: 'signer-1', alg: 'RS256', use: 'sig' }
const signer = {
  id: 'signer',
  name: '签名应用',
  kind: 'web' as const,
  firstParty: true,
  returns: ['https://signer.example.com/callback'],
  publicKeys: [publicJwk] as never,
}
const ownScheme = {
  id: 'mobile',
  name: '自有协议',
  kind: 'native' as const,
  firstParty: true,
  returns: ['com.example.app:/callback', 'http://127.0.0.1/back'],
}

let t: Harness
let site: TestSite
let other: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite(withClients(signer, ownScheme))
  const secret = 'the-secret-of-shop-at-the-other-site'
  const { clients } = withClients(signer)
  other = await t.codeSite({ clients: clients.map((each) => (each.id === 'shop' ? { ...each, secret } : each)) })
})
afterAll(() => t.close())

const newSession = async (at = site) => await t.session(at, (await t.user(at, { password: undefined })).id)

const back = 'https://shop.example.com/callback'
const variants = [
  `${back}/`,
  `${back}?a=1`,
  `${back}?`,
  `${back}#a`,
  `${back}#`,
  `${back}/../other`,
  'https://shop.example.com/x/../callback',
  'https://shop.example.com/%2e%2e/callback',
  'https://shop.example.com/./callback',
  'https://shop.example.com//callback',
  'https://shop.example.com/callbac%6b',
  'https://shop.example.com/CALLBACK',
  'https://shop.example.com/',
  'https://SHOP.example.com/callback',
  'HTTPS://shop.example.com/callback',
  'https://shop.example.com:443/callback',
  'https://shop.example.com:444/callback',
  'https://shop.example.com./callback',
  'http://shop.example.com/callback',
  'https://a@shop.example.com/callback',
  'https://shop.example.com:x@evil.example/callback',
  'https://shop.example.com.evil.example/callback',
  'https://shop.example.com@evil.example/callback',
  'https://evil.example/?https://shop.example.com/callback',
  '//shop.example.com/callback',
  '/callback',
  'callback',
  '',
  ' https://shop.example.com/callback',
  'https://shop.example.com/callback ',
  'https://shop.example.com/callback\n',
  'https://shop.example.com/callback\u0000',
  'https://shop.example.com\\callback',
  'com.example.app:/callback',
  'http://127.0.0.1/callback',
  'http://localhost/callback',
  'https://books.example.com/callback',
  'urn:ietf:wg:oauth:2.0:oob',
  'data:text/html,x',
]

const loopbacks = [
  'http://localhost:4000/back',
  'http://127.0.0.2:4000/back',
  'http://[::1]:4000/back',
  'http://127.0.0.1:4000/other',
  'http://127.0.0.1:4000/back/',
  'http://127.0.0.1:4000/back?x=1',
  'https://127.0.0.1:4000/back',
  'http://127.0.0.1.evil.example:4000/back',
  'http://127.0.0.1:4000@evil.example/back',
  'http://a@127.0.0.1:4000/back',
  'com.example.app:/other',
  'com.example.app://callback',
  'com.example.other:/callback',
  'com.example.app.evil:/callback',
]

/** Whether the browser was led anywhere but to our own pages. */
const leaves = (to: URL) =>
  to.hostname !== 'none.invalid' || !/^\/authorizeError\/(invalid|unsupported)_/.test(to.pathname)

test('A56 no address of return but the registered one is taken, for a code or for an error', async () => {
  const user = await newSession()
  const others = [...escapes(site.host, 'shop.example.com'), ...scriptAddresses]
  const odd = [...variants, ...others.filter((_, index) => index % few(1, 8) === 0)]
  const all: [string, string][] = [
    ...odd.map((address): [string, string] => ['shop', address]),
    ...scriptAddresses.slice(0, 30).map((address): [string, string] => ['page', address]),
    ...loopbacks.map((address): [string, string] => ['mobile', address]),
  ]
  const taken: string[] = []
  for (const [client, redirect_uri] of all) {
    const { to } = await authorize(user, client, { redirect_uri })
    if (leaves(to)) taken.push(`${client} ${JSON.stringify(redirect_uri)} → ${to}`)
    const refused = await authorize(user, client, { redirect_uri, prompt: 'none', scope: 'openid nothing' })
    if (leaves(refused.to)) taken.push(`error: ${client} ${JSON.stringify(redirect_uri)} → ${refused.to}`)
  }
  expect(taken).toEqual([])
  figure(`of ${all.length} other addresses of return taken`, taken.length, ['=', 0])
  expect((await authorize(user)).code).not.toBe('')
  const port = await authorize(user, 'mobile', { redirect_uri: 'http://127.0.0.1:53682/back', scope: 'openid' })
  expect(port.to.href).toMatch(/^http:\/\/127\.0\.0\.1:53682\/back\?code=/)
  const scheme = await authorize(user, 'mobile', { redirect_uri: 'com.example.app:/callback', scope: 'openid' })
  expect(scheme.to.href).toMatch(/^com\.example\.app:\/callback\?code=/)
}, 600_000)

test('A56 nothing that one site gave counts at another: code, tokens, hint, cookie, sign-in in progress, secret', async () => {
  const user = await newSession()
  const led = await authorize(user)
  const secret = 'the-secret-of-shop-at-the-other-site'
  const tokens = await tokensOf(site, user)
  const here = { headers: proofOf('shop', secret) }
  const stranger = await newSession(other)
  const foreign: Browser = t.browser(other)
  for (const [name, value] of user.cookies) foreign.cookies.set(name, value)
  const visitor = t.browser(site)
  const waiting = await authorize(visitor)
  const movedOn = t.browser(other)
  for (const [name, value] of visitor.cookies) movedOn.cookies.set(name, value)
  const hinted = await authorize(stranger, 'shop', { id_token_hint: tokens.id_token, prompt: 'none' })
  const logout = await navigate(
    stranger,
    `/oidc/logout?id_token_hint=${tokens.id_token}&post_logout_redirect_uri=${encodeURIComponent('https://shop.example.com/bye')}`,
  )
  const uses: Record<string, boolean> = {
    code: (await exchange(other, led, {}, here)).status === 200,
    'code with the secret of this site': (await exchange(other, led)).status === 200,
    'access token': (await userinfo(other, tokens.access_token)).status === 200,
    'refresh token': (await refresh(other, tokens.refresh_token, {}, here)).status === 200,
    introspection: (await introspect(other, tokens.access_token, here)).json.active === true,
    revocation: await revokes(other, tokens.access_token, here),
    'stolen secret':
      (await postForm(other, '/oidc/introspect', { token: 'x' }, { headers: proofOf('shop') })).status === 200,
    cookie: (await authorize(foreign)).code !== '',
    'sign-in in progress, shown':
      (await movedOn.call(readInteraction, { id: interactionIn(waiting.to) })).status === 200,
    'sign-in in progress, resumed': (await resume(movedOn, waiting.to)).hostname !== 'none.invalid',
    'hint at authorize': hinted.code !== '',
    'hint at logout':
      !logout.headers.location?.startsWith('/authorizeError/') && !logout.headers.location?.startsWith('/logout/'),
  }
  const taken = Object.entries(uses).flatMap(([name, used]) => (used ? [name] : []))
  expect(taken).toEqual([])
  figure(`of ${Object.keys(uses).length} things of one site used at another`, taken.length, ['=', 0])
  expect((await userinfo(site, tokens.access_token)).status, 'still good at its own').toBe(200)
  expect((await exchange(site, led)).status).toBe(200)
})

async function revokes(at: TestSite, token: string, calling: { headers: Record<string, string> }): Promise<boolean> {
  await postForm(at, '/oidc/revoke', { token }, calling)
  return (await userinfo(site, token)).status !== 200
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
const headerOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())

type Signer = (input: string) => string
const forge = (header: object, claims: object, signature: Signer) => {
  const input = `${part(header)}.${part(claims)}`
  return `${input}.${signature(input)}`
}

const unsigned: Signer = () => ''
const byOwnKey: Signer = (input) => sign('sha256', Buffer.from(input), privateKey).toString('base64url')
const bySecret =
  (secret: string | Buffer): Signer =>
  (input) =>
    createHmac('sha256', secret).update(input).digest('base64url')

async function publishedKeys(at: TestSite): Promise<JsonWebKey[]> {
  const headers = { host: at.host, 'x-forwarded-for': freshAddress() }
  const { body } = await send(nextUrl(), { path: '/oidc/jwks', method: 'GET', headers })
  return JSON.parse(body).keys
}

/** The public key in every form that has ever been taken for a shared secret. */
function secretsFrom(jwk: JsonWebKey): (string | Buffer)[] {
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  return [
    key.export({ format: 'pem', type: 'spki' }),
    key.export({ format: 'pem', type: 'spki' }).toString().trim(),
    key.export({ format: 'pem', type: 'pkcs1' }),
    key.export({ format: 'der', type: 'spki' }),
    JSON.stringify(jwk),
    Buffer.from(jwk.n ?? '', 'base64url'),
    jwk.n ?? '',
    '',
  ]
}

test('A56 a hint with another signature, algorithm or key names no user and signs none out', async () => {
  const user = await newSession()
  const { id_token = '' } = await tokensOf(site, user)
  const [header, claims] = [headerOf(id_token), claimsOf(id_token)]
  const [published] = await publishedKeys(site)
  const strange = await tokensOf(other, await newSession(other), 'page')
  const forged = [
    ...['none', 'None', 'NONE', 'nOnE'].map((alg) => forge({ ...header, alg }, claims, unsigned)),
    forge({ alg: 'none' }, claims, unsigned),
    ...secretsFrom(published ?? {}).map((secret) => forge({ ...header, alg: 'HS256' }, claims, bySecret(secret))),
    forge({ alg: 'HS256' }, claims, bySecret('the-secret-of-the-client-shop')),
    forge(header, claims, byOwnKey),
    forge({ ...header, jwk: publicJwk }, claims, byOwnKey),
    forge({ alg: 'RS256', jku: 'https://evil.example/jwks', kid: 'signer-1' }, claims, byOwnKey),
    forge({ alg: 'RS256', kid: '../../etc/passwd' }, claims, byOwnKey),
    `${id_token.split('.').slice(0, 2).join('.')}.`,
    `${id_token.split('.')[0]}.${part({ ...claims, sub: 'another' })}.${id_token.split('.')[2]}`,
    strange.id_token ?? '',
    'x',
    '',
    'a.b.c',
    '\u0000',
  ]
  const taken: string[] = []
  const bye = encodeURIComponent('https://shop.example.com/bye')
  for (const hint of forged) {
    const { code, to } = await authorize(user, 'shop', { id_token_hint: hint, prompt: 'none' })
    // An empty parameter is none.
    if (code !== '' && hint !== '') taken.push(`authorize: ${hint} ${to}`)
    const { headers } = await navigate(
      user,
      `/oidc/logout?client_id=shop&id_token_hint=${encodeURIComponent(hint)}&post_logout_redirect_uri=${bye}`,
    )
    if (!/^\/(authorizeError|logout)\//.test(headers.location ?? '')) taken.push(`logout: ${hint} ${headers.location}`)
  }
  expect((await authorize(user, 'shop', { id_token_hint: id_token, prompt: 'none' })).code).not.toBe('')
  expect(taken).toEqual([])
  figure(`of ${2 * forged.length} forged hints taken`, taken.length, ['=', 0])
  expect((await authorize(user)).code, 'still signed in').not.toBe('')
})

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

test('A56 a client assertion counts once, for this provider, by its own key and algorithm', async () => {
  const token = `${site.origin}/oidc/token`
  const now = () => Math.floor(Date.now() / 1000)
  let last = 0
  const good = (own: object = {}) => ({
    iss: 'signer',
    sub: 'signer',
    aud: site.origin,
    jti: `assertion-${last++}-${now()}`,
    iat: now(),
    exp: now() + 60,
    ...own,
  })
  const header = { alg: 'RS256', kid: 'signer-1' }
  const present = (client_assertion: string, own = {}) =>
    postForm(site, '/oidc/introspect', {
      token: 'x',
      client_id: 'signer',
      client_assertion_type: assertionType,
      client_assertion,
      ...own,
    })
  const right = forge(header, good(), byOwnKey)
  expect((await present(right)).status).toBe(200)
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const byStranger: Signer = (input) => sign('sha256', Buffer.from(input), stranger).toString('base64url')
  const forged: Record<string, string> = {
    replayed: right,
    'for the other site': forge(header, good({ aud: other.origin }), byOwnKey),
    'for the other site’s token endpoint': forge(header, good({ aud: `${other.origin}/oidc/token` }), byOwnKey),
    'for no one': forge(header, good({ aud: undefined }), byOwnKey),
    expired: forge(header, good({ exp: now() - 60 }), byOwnKey),
    'without an end': forge(header, good({ exp: undefined }), byOwnKey),
    'without an id': forge(header, good({ jti: undefined }), byOwnKey),
    'of another issuer': forge(header, good({ iss: 'shop' }), byOwnKey),
    'of another client': forge(header, good({ iss: 'shop', sub: 'shop' }), byOwnKey),
    'not yet good': forge(header, good({ nbf: now() + 600 }), byOwnKey),
    unsigned: forge({ alg: 'none' }, good(), unsigned),
    'by a strange key': forge(header, good(), byStranger),
    'by a key that it brings': forge(
      { ...header, jwk: createPublicKey(stranger).export({ format: 'jwk' }) },
      good(),
      byStranger,
    ),
    ...Object.fromEntries(
      secretsFrom(publicJwk).map((secret, index) => [
        `HS256 with the public key, form ${index}`,
        forge({ alg: 'HS256', kid: 'signer-1' }, good(), bySecret(secret)),
      ]),
    ),
  }
  const taken: string[] = []
  for (const [name, assertion] of Object.entries(forged)) {
    const { status, body } = await present(assertion)
    if (status < 400 || status >= 500) taken.push(`${name}: ${status} ${body}`)
  }
  const secret = await postForm(site, '/oidc/introspect', { token: 'x' }, { headers: proofOf('signer', '') })
  if (secret.status === 200) taken.push('a secret instead')
  const race = forge(header, good({ aud: token }), byOwnKey)
  const raced = await Promise.all(Array.from({ length: 20 }, () => present(race)))
  expect(taken).toEqual([])
  figure(`of ${Object.keys(forged).length + 1} forged assertions taken`, taken.length, ['=', 0])
  figure('of twenty uses of an assertion at once', raced.filter(({ status }) => status === 200).length, ['<=', 1])
})
