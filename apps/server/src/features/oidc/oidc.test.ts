import { answerInteraction, readInteraction } from '@hufu/contract/oidc'
import * as openid from 'openid-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  authorize,
  back,
  bye,
  fetchFrom,
  interactionIn,
  oidcClients,
  relyingParty,
  resume,
  secretOf,
} from '../../../test/oidc.ts'
import { startTestApp, type TestApp, type TestSite, times } from '../../../test/test-app.ts'

let t: TestApp
let site: TestSite
let shop: openid.Configuration
let books: openid.Configuration
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite({ clients: oidcClients })
  shop = await relyingParty(t, site, 'shop')
  books = await relyingParty(t, site, 'books')
})
afterAll(() => t.close())

test('D255 a signed-in user comes back with a code, which becomes an ID token, an access token and a refresh token', async () => {
  const user = await t.signIn(site)
  const { to, checks } = await authorize(shop, user, { scope: 'openid profile phone email' })
  expect(to.href).toContain(`${back}?code=`)
  const tokens = await openid.authorizationCodeGrant(shop, to, checks)
  expect(tokens.claims()).toMatchObject({ iss: site.origin, sub: user.id, aud: 'shop', acr: '1', amr: ['sms'] })
  const info = await openid.fetchUserInfo(shop, tokens.access_token, user.id)
  expect(info).toMatchObject({ phone_number: `+86${user.mobile}`, phone_number_verified: true })
  expect(tokens.refresh_token).toBeDefined()
})

test('D256 a visitor signs in on our own page and comes back to where the request waits', async () => {
  const visitor = t.browser(site)
  const { to, checks } = await authorize(shop, visitor)
  expect(to.pathname).toBe(`/login/${encodeURIComponent(`/oidc/authorize/${interactionIn(to)}`)}`)
  const shown = await visitor.call(readInteraction, { id: interactionIn(to) })
  expect(shown.data).toMatchObject({ client: { name: '青屿商城', firstParty: true }, step: 'login', scopes: [] })
  const user = await t.signIn(site)
  for (const [name, value] of user.cookies) if (!name.endsWith('browser')) visitor.cookies.set(name, value)
  expect((await visitor.call(readInteraction, { id: interactionIn(to) })).data?.step).toBe('none')
  const tokens = await openid.authorizationCodeGrant(shop, await resume(visitor, to), checks)
  expect(tokens.claims()?.sub).toBe(user.id)
})

test('D257 a third party asks for consent once, learns what was agreed to, and calls the user by an id of its own', async () => {
  const user = await t.signIn(site)
  const asked = { redirect_uri: 'https://books.example.com/callback', scope: 'openid profile phone' }
  const { to, checks } = await authorize(books, user, asked)
  expect(to.pathname).toBe(`/consent/${interactionIn(to)}`)
  const shown = await user.call(readInteraction, { id: interactionIn(to) })
  expect(shown.data).toMatchObject({
    step: 'consent',
    scopes: [
      { name: 'profile', required: true, reason: '用于显示您的身份' },
      { name: 'phone', required: false, reason: null },
    ],
  })
  const refused = await user.call(answerInteraction, { id: interactionIn(to), accept: true, scopes: ['phone'] })
  expect(refused.code).toBe('INPUT_INVALID')
  await user.call(answerInteraction, { id: interactionIn(to), accept: true, scopes: ['profile'] })
  const tokens = await openid.authorizationCodeGrant(books, await resume(user, to), checks)
  const sub = tokens.claims()?.sub ?? ''
  expect(sub).not.toBe(user.id)
  expect(tokens.scope).toBe('openid profile')
  expect(await openid.fetchUserInfo(books, tokens.access_token, sub)).not.toHaveProperty('phone_number')
  const again = await authorize(books, user, asked)
  expect(again.to.href).toContain('books.example.com/callback?code=')
  const more = await authorize(books, user, { ...asked, scope: 'openid profile email' })
  expect((await user.call(readInteraction, { id: interactionIn(more.to) })).data?.scopes).toMatchObject([
    { name: 'email' },
  ])
  await user.call(answerInteraction, { id: interactionIn(more.to), accept: false })
  expect((await resume(user, more.to)).searchParams.get('error')).toBe('access_denied')
})

test('D258 a refresh token is exchanged once; a later use of it ends the grant', async () => {
  const user = await t.signIn(site)
  const { to, checks } = await authorize(shop, user)
  const first = await openid.authorizationCodeGrant(shop, to, checks)
  const spent = first.refresh_token ?? ''
  const results = await Promise.allSettled(times(20, () => openid.refreshTokenGrant(shop, spent)))
  const won = results.filter((result) => result.status === 'fulfilled')
  expect(won).toHaveLength(1)
  const next = won[0]?.value.refresh_token ?? ''
  const second = await openid.refreshTokenGrant(shop, next)
  await t.deps.pool.query("UPDATE oidc_item SET consumed_at = consumed_at - interval '4 seconds'")
  await expect(openid.refreshTokenGrant(shop, spent)).rejects.toMatchObject({ error: 'invalid_grant' })
  await expect(openid.refreshTokenGrant(shop, second.refresh_token ?? '')).rejects.toMatchObject({
    error: 'invalid_grant',
  })
  await expect(openid.fetchUserInfo(shop, second.access_token, user.id)).rejects.toThrow()
})

test('D259 logout by an ID token of this session is immediate, and returns to the client', async () => {
  const user = await t.signIn(site)
  const { to, checks } = await authorize(shop, user)
  const tokens = await openid.authorizationCodeGrant(shop, to, checks)
  const address = openid.buildEndSessionUrl(shop, {
    id_token_hint: tokens.id_token ?? '',
    post_logout_redirect_uri: bye,
    state: 'st',
  })
  expect(await user.go(address.href)).toBe(`${bye}?state=st`)
  expect(user.cookies.has('__Host-hufu')).toBe(false)
  await expect(openid.fetchUserInfo(shop, tokens.access_token, user.id)).rejects.toThrow()
  await expect(openid.refreshTokenGrant(shop, tokens.refresh_token ?? '')).rejects.toMatchObject({
    error: 'invalid_grant',
  })
})

test('a client that proves nothing is refused and recorded, and an unknown address of return leads to our own page', async () => {
  const fetch = fetchFrom(t)
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: 'worker', client_secret: 'wrong' })
  const wrong = await fetch(`${site.origin}/oidc/token`, { method: 'POST', body, headers: form })
  expect(wrong.status).toBe(401)
  body.set('client_secret', secretOf('worker'))
  const right = await fetch(`${site.origin}/oidc/token`, { method: 'POST', body, headers: form })
  expect(right.status).toBe(200)
  const { to } = await authorize(shop, t.browser(site), { redirect_uri: 'https://evil.example.com/' })
  expect(to.pathname).toBe('/authorizeError/invalid_redirect_uri')
})

const form = { 'content-type': 'application/x-www-form-urlencoded' }
