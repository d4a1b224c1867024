import { changePassword } from '@hufu/contract/account'
import { removeDevice } from '@hufu/contract/devices'
import { logout } from '@hufu/contract/login'
import { setUserStatus } from '@hufu/contract/merchant-users'
import { answerInteraction, type OidcRoute, oidcRoutes } from '@hufu/contract/oidc'
import { disownSignIn } from '@hufu/contract/security'
import { createRemoteJWKSet, customFetch, decodeProtectedHeader, jwtVerify } from 'jose'
import * as openid from 'openid-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Member, member, signInAgain } from '../../../test/account-user.ts'
import { authorize, bye, fetchFrom, interactionIn, oidcClients, relyingParty, resume } from '../../../test/oidc.ts'
import { checked, newOperator, second } from '../../../test/operator.ts'
import { sessionOf, startTestApp, type TestApp, type TestBrowser, type TestSite } from '../../../test/test-app.ts'
import { changeSite } from '../site/site.service.ts'
import { rotateSigningKeys } from './keys.ts'

let t: TestApp
let site: TestSite
let shop: openid.Configuration
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite({ clients: oidcClients })
  shop = await relyingParty(t, site, 'shop')
})
afterAll(() => t.close())

async function tokensOf(browser: TestBrowser, scope = 'openid', client = shop) {
  // OpenID Connect ignores the wish for offline access where no consent is asked for.
  const asked = scope.includes('offline_access') ? { scope, prompt: 'consent' } : { scope }
  const { to, checks } = await authorize(client, browser, asked)
  const { refresh_token: refresh = '', ...tokens } = await openid.authorizationCodeGrant(client, to, checks)
  return { ...tokens, refresh, idToken: tokens.id_token ?? '' }
}

const refresh = async (token: string) => (await openid.refreshTokenGrant(shop, token)).refresh_token ?? ''
const refused = (token: string) =>
  expect(openid.refreshTokenGrant(shop, token)).rejects.toMatchObject({ error: 'invalid_grant' })

test('D283 offline access outlives a sign-out; without it the tokens end with the session', async () => {
  const user = await member(t, site)
  const other = await signInAgain(t, site, user)
  const [offline, online] = [await tokensOf(user, 'openid offline_access'), await tokensOf(other)]
  await user.call(logout)
  await other.call(logout)
  expect(await refresh(offline.refresh)).not.toBe(offline.refresh)
  await refused(online.refresh)
})

test('D283 offline access that was asked for without consent is none', async () => {
  const user = await member(t, site)
  const { to, checks } = await authorize(shop, user, { scope: 'openid offline_access' })
  const tokens = await openid.authorizationCodeGrant(shop, to, checks)
  expect(tokens.scope).toBe('openid')
  await user.call(logout)
  await refused(tokens.refresh_token ?? '')
})

test('D330 a refresh may name no scope that the user refused; the token is good after such an attempt', async () => {
  const [user, books] = [await member(t, site), await relyingParty(t, site, 'books')]
  const asked = 'openid profile phone offline_access'
  const { to, checks } = await authorize(books, user, {
    redirect_uri: 'https://books.example.com/callback',
    scope: asked,
    prompt: 'consent',
  })
  const agreed = { accept: true, scopes: ['profile', 'offline_access'] as ['profile', 'offline_access'] }
  await user.call(answerInteraction, { id: interactionIn(to), ...agreed })
  const tokens = await openid.authorizationCodeGrant(books, await resume(user, to), checks)
  const granted = 'openid profile offline_access'
  expect(tokens.scope).toBe(granted)
  const token = tokens.refresh_token ?? ''
  await expect(openid.refreshTokenGrant(books, token, { scope: asked })).rejects.toMatchObject({
    status: 400,
    error: 'invalid_scope',
  })
  const renewed = await openid.refreshTokenGrant(books, token, { scope: granted })
  expect(renewed.scope).toBe(granted)
  expect(await openid.refreshTokenGrant(books, renewed.refresh_token ?? '')).toMatchObject({ scope: granted })
})

type End = (user: Member, session: TestBrowser, id: string) => Promise<{ status: number }>

const ends: [string, End][] = [
  [
    'a changed password',
    async (user) => {
      await checked(t, user)
      await second(t, user)
      return await user.call(changePassword, { password: 'Qy#2026winter' })
    },
  ],
  ['a removed device', (user, _session, id) => user.call(removeDevice, { id })],
  ['a disowned sign-in', (user, _session, id) => user.call(disownSignIn, { id })],
  [
    'a disabled account',
    async (user) => {
      const admin = await newOperator(t, site, ['READ', 'WRITE', 'ADMIN'])
      return await admin.call(setUserStatus, { id: user.id, status: 'disabled' })
    },
  ],
]

test.each(ends)('D283 offline access ends by %s', async (_what, end) => {
  const user = await member(t, site)
  const session = await signInAgain(t, site, user)
  const { refresh: token, access_token: access } = await tokensOf(session, 'openid offline_access')
  const next = await refresh(token)
  expect((await end(user, session, sessionOf(session))).status).toBe(200)
  await refused(next)
  await expect(openid.fetchUserInfo(shop, access, user.id)).rejects.toThrow()
})

test.each(ends.filter(([what]) => what !== 'a removed device'))(
  'D283 offline access that has outlived its session ends by %s',
  async (_what, end) => {
    const user = await member(t, site)
    const session = await signInAgain(t, site, user)
    const { refresh: token } = await tokensOf(session, 'openid offline_access')
    const id = sessionOf(session)
    await session.call(logout)
    const next = await refresh(token)
    expect((await end(user, session, id)).status).toBe(200)
    await refused(next)
  },
)

test('D283 a client revokes its own tokens, each with all of its grant, and none of another client', async () => {
  const user = await member(t, site)
  const books = await relyingParty(t, site, 'books')
  for (const kind of ['refresh', 'access_token'] as const) {
    const tokens = await tokensOf(user)
    await openid.tokenRevocation(books, tokens[kind]).catch(() => {})
    expect((await openid.fetchUserInfo(shop, tokens.access_token, user.id)).sub).toBe(user.id)
    await openid.tokenRevocation(shop, tokens[kind])
    await refused(tokens.refresh)
    await expect(openid.fetchUserInfo(shop, tokens.access_token, user.id)).rejects.toThrow()
  }
  await openid.tokenRevocation(shop, 'unknown')
})

test('D283 a token is looked up by its own client and by a gateway; to others it is none', async () => {
  const user = await member(t, site)
  const { access_token: token } = await tokensOf(user, 'openid profile')
  const [gateway, books] = [await relyingParty(t, site, 'worker'), await relyingParty(t, site, 'books')]
  const known = { active: true, sub: user.id, client_id: 'shop', scope: 'openid profile', iss: site.origin }
  expect(await openid.tokenIntrospection(shop, token)).toMatchObject(known)
  expect(await openid.tokenIntrospection(gateway, token)).toMatchObject(known)
  expect(await openid.tokenIntrospection(books, token)).toEqual({ active: false })
  await user.call(logout)
  for (const client of [shop, gateway])
    expect(await openid.tokenIntrospection(client, token)).toEqual({ active: false })
})

test('D283 userinfo takes a token by header or body, by neither twice, and never in an address', async () => {
  const user = await member(t, site)
  const { access_token: token } = await tokensOf(user)
  const header = { authorization: `Bearer ${token}` }
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const status = async (method: 'GET' | 'POST', headers: object, body?: string, query = '') =>
    (
      await t.app.inject({
        method,
        url: `/oidc/userinfo${query}`,
        headers: { host: site.host, ...headers },
        ...(body !== undefined && { payload: body }),
      })
    ).statusCode
  expect(await status('GET', header)).toBe(200)
  expect(await status('POST', form, `access_token=${token}`)).toBe(200)
  expect(await status('POST', { ...form, ...header }, `access_token=${token}`)).toBe(400)
  expect(await status('GET', {}, undefined, `?access_token=${token}`)).toBe(400)
  expect(await status('GET', { authorization: 'Bearer wrong' })).toBe(401)
  expect(await status('GET', { cookie: [...user.cookies].map((each) => each.join('=')).join('; ') })).toBe(401)
})

test('D283 a site without clients of OpenID Connect has none of its routes, and a disabled one refuses', async () => {
  const bare = await t.codeSite({ clients: [{ id: 'old', name: '旧', returns: ['https://old.example.com/cb'] }] })
  const closed = await t.codeSite({ clients: oidcClients })
  await changeSite(t.deps, closed.id, { status: 'disabled' }, 'test')
  await t.deps.sites.refresh()
  for (const {
    path,
    methods: [method = 'GET'],
  } of oidcRoutes as readonly OidcRoute[]) {
    const at = ({ host }: TestSite) => t.app.inject({ method, url: path.replace(':uid', 'x'), headers: { host } })
    expect([path, (await at(bare)).statusCode]).toEqual([path, 404])
    const reply = await at(closed)
    if (reply.statusCode === 303)
      expect(reply.headers.location).toMatch(/^\/authorizeError\/temporarily_unavailable\?id=/)
    else expect([path, reply.statusCode]).toEqual([path, 503])
  }
})

test('D283 after a rotation of keys ID tokens of before verify, and count as hints', async () => {
  const own = await t.codeSite({ clients: oidcClients })
  const client = await relyingParty(t, own, 'shop')
  const user = await member(t, own)
  const before = await tokensOf(user, 'openid', client)
  const past = "UPDATE oidc_key SET staged_at = staged_at - interval '11 minutes' WHERE site_id = $1"
  await t.deps.pool.query(past, [own.id])
  await rotateSigningKeys(t.deps, own.id, undefined)
  await t.deps.sites.refresh()
  const after = await tokensOf(user, 'openid', client)
  const kids = [before, after].map(({ idToken }) => decodeProtectedHeader(idToken).kid)
  expect(kids[0]).not.toBe(kids[1])
  const keys = createRemoteJWKSet(new URL(`${own.origin}/oidc/jwks`), { [customFetch]: fetchFrom(t) as never })
  for (const { idToken } of [before, after])
    expect((await jwtVerify(idToken, keys, { issuer: own.origin, audience: 'shop' })).payload.sub).toBe(user.id)
  const silent = await authorize(client, user, { prompt: 'none', id_token_hint: before.idToken })
  expect(silent.to.searchParams.has('code')).toBe(true)
  expect((await openid.refreshTokenGrant(client, before.refresh)).claims()?.sub).toBe(user.id)
  const hint = { id_token_hint: before.idToken, post_logout_redirect_uri: bye }
  expect(await user.go(openid.buildEndSessionUrl(client, hint).href)).toBe(bye)
})
