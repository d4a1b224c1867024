import { loginByPassword } from '@hufu/contract/login'
import { answerInteraction, readInteraction } from '@hufu/contract/oidc'
import * as openid from 'openid-client'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Member, member, password, signInAgain } from '../../../test/account-user.ts'
import { enrol } from '../../../test/enrolled.ts'
import { authorize, back, interactionIn, oidcClients, relyingParty, resume } from '../../../test/oidc.ts'
import { sessionOf, startTestApp, type TestApp, type TestBrowser, type TestSite } from '../../../test/test-app.ts'

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

const thirdParty = { redirect_uri: 'https://books.example.com/callback', scope: 'openid profile' }

const stepOf = async (browser: TestBrowser, to: URL) =>
  (await browser.call(readInteraction, { id: interactionIn(to) })).data?.step

const claimsOf = async (config: openid.Configuration, to: URL, checks: openid.AuthorizationCodeGrantChecks) =>
  (await openid.authorizationCodeGrant(config, to, checks)).claims()

/** Lets time pass since the user signed in. */
const passTime = (browser: TestBrowser, seconds: number) =>
  t.deps.pool.query('UPDATE session SET created_at = created_at - make_interval(secs => $2) WHERE id = $1', [
    sessionOf(browser),
    seconds,
  ])

const signInHere = async (browser: TestBrowser, { username }: Pick<Member, 'username'>) =>
  expect((await browser.call(loginByPassword, { account: username, password })).status).toBe(200)

const hasCode = (to: URL) => to.searchParams.has('code')

test.each([
  ['prompt=login', { prompt: 'login' }],
  ['max_age', { max_age: '10' }],
  ['max_age=0', { max_age: '0' }],
])(
  'D278 %s asks for a new sign-in; without one it leads to the page again, and never to the client',
  async (_, asked) => {
    const user = await member(t, site)
    await passTime(user, 100)
    const { to, checks } = await authorize(shop, user, asked)
    expect(to.pathname).toMatch(/^\/login\//)
    expect(await stepOf(user, to)).toBe('login')
    const again = await resume(user, to)
    expect(again.pathname).toMatch(/^\/login\//)
    expect(await stepOf(user, again)).toBe('login')
    const before = Math.floor(Date.now() / 1000) - 50
    await signInHere(user, user)
    const claims = await claimsOf(shop, await resume(user, again), checks)
    expect(claims).toMatchObject({ sub: user.id, amr: ['pwd'] })
    expect(claims?.auth_time).toBeGreaterThan(before)
  },
)

test('D278 a sign-in within max_age is enough', async () => {
  const user = await member(t, site)
  await passTime(user, 100)
  const { to, checks } = await authorize(shop, user, { max_age: '200' })
  const claims = await openid.authorizationCodeGrant(shop, to, { ...checks, maxAge: 200 })
  expect(claims.claims()?.sub).toBe(user.id)
})

test('D278 a client that asks for no page gets the reason instead', async () => {
  const user = await member(t, site)
  const { to } = await authorize(books, user, { ...thirdParty, prompt: 'none' })
  expect(to.searchParams.get('error')).toBe('consent_required')
  await passTime(user, 100)
  const old = await authorize(shop, user, { prompt: 'none', max_age: '10' })
  expect(old.to.searchParams.get('error')).toBe('login_required')
})

test('D279 prompt=select_account waits until the user has chosen the account, or signed in to another', async () => {
  const user = await member(t, site)
  await passTime(user, 100)
  const { to, checks } = await authorize(shop, user, { prompt: 'select_account' })
  expect(to.pathname).toBe(`/consent/${interactionIn(to)}`)
  expect(await stepOf(user, to)).toBe('account')
  const again = await resume(user, to)
  expect(await stepOf(user, again)).toBe('account')
  await user.call(answerInteraction, { id: interactionIn(again), accept: true })
  expect((await claimsOf(shop, await resume(user, again), checks))?.sub).toBe(user.id)
  const other = await member(t, site)
  const change = await authorize(shop, user, { prompt: 'select_account' })
  await signInHere(user, other)
  expect((await claimsOf(shop, await resume(user, change.to), change.checks))?.sub).toBe(other.id)
})

test('D279 the account chosen in one session says nothing about another', async () => {
  const [user, other] = [await member(t, site), await member(t, site)]
  const { to } = await authorize(shop, user, { prompt: 'select_account' })
  await user.call(answerInteraction, { id: interactionIn(to), accept: true })
  await signInHere(user, other)
  await passTime(user, 100)
  const again = await resume(user, to)
  expect(await stepOf(user, again)).toBe('account')
})

test('D279 prompt=consent asks a third party each time, and the brand never', async () => {
  const user = await member(t, site)
  expect(hasCode((await authorize(shop, user, { prompt: 'consent' })).to)).toBe(true)
  const first = await authorize(books, user, thirdParty)
  await user.call(answerInteraction, { id: interactionIn(first.to), accept: true })
  expect(hasCode(await resume(user, first.to))).toBe(true)
  await t.deps.pool.query("UPDATE oidc_consent SET given_at = given_at - interval '1 minute' WHERE user_id = $1", [
    user.id,
  ])
  const asked = await authorize(books, user, { ...thirdParty, prompt: 'consent' })
  const again = await resume(user, asked.to)
  const shown = await user.call(readInteraction, { id: interactionIn(again) })
  expect(shown.data).toMatchObject({ step: 'consent', scopes: [{ name: 'profile' }] })
  await user.call(answerInteraction, { id: interactionIn(again), accept: true })
  const tokens = await openid.authorizationCodeGrant(books, await resume(user, again), asked.checks)
  expect(tokens.scope).toBe('openid profile')
})

const demandsFactor = { claims: JSON.stringify({ id_token: { acr: { essential: true, value: '2' } } }) }

test('D280 a client that demands a second factor waits until the session has proved it', async () => {
  const user = await member(t, site)
  const { to, checks } = await authorize(shop, user, demandsFactor)
  expect(to.pathname).toMatch(/^\/consent\//)
  expect(await stepOf(user, to)).toBe('factor')
  const again = await resume(user, to)
  expect(await stepOf(user, again)).toBe('factor')
  await enrol(t.deps, site.id, user.id)
  const claims = await claimsOf(shop, await resume(user, again), checks)
  expect(claims).toMatchObject({ acr: '2', amr: ['pwd', 'mfa'] })
  const next = await authorize(shop, user)
  expect(await claimsOf(shop, next.to, next.checks)).toMatchObject({ acr: '2' })
})

test('D280 prompt=none says that the factor is missing', async () => {
  const { to } = await authorize(shop, await member(t, site), { ...demandsFactor, prompt: 'none' })
  expect(to.searchParams.get('error')).toMatch(/^(login_required|unmet_authentication_requirements)$/)
})

test('D281 the page knows whom the client expects', async () => {
  const visitor = t.browser(site)
  const { to } = await authorize(shop, visitor, { login_hint: '13800138000' })
  expect((await visitor.call(readInteraction, { id: interactionIn(to) })).data?.hint).toBe('13800138000')
  const none = await authorize(shop, visitor)
  expect((await visitor.call(readInteraction, { id: interactionIn(none.to) })).data?.hint).toBeNull()
})

test('D281 an ID token of another user asks for a sign-in as that user', async () => {
  const [user, other] = [await member(t, site), await member(t, site)]
  const first = await authorize(shop, other)
  const { id_token: hint = '' } = await openid.authorizationCodeGrant(shop, first.to, first.checks)
  const silent = await authorize(shop, user, { id_token_hint: hint, prompt: 'none' })
  expect(silent.to.searchParams.get('error')).toBe('login_required')
  const { to, checks } = await authorize(shop, user, { id_token_hint: hint })
  expect(await stepOf(user, to)).toBe('login')
  const again = await resume(user, to)
  expect(again.pathname).toMatch(/^\/login\//)
  await signInHere(user, other)
  expect((await claimsOf(shop, await resume(user, again), checks))?.sub).toBe(other.id)
})

test('D282 only the browser that began a sign-in sees, answers and resumes it', async () => {
  const user = await member(t, site)
  const { to } = await authorize(books, user, thirdParty)
  const other = await signInAgain(t, site, user)
  const id = interactionIn(to)
  expect((await other.call(readInteraction, { id })).code).toBe('AUTHORIZE_EXPIRED')
  expect((await other.call(answerInteraction, { id, accept: true })).code).toBe('AUTHORIZE_EXPIRED')
  expect((await resume(other, to)).pathname).toBe('/authorizeError/session_not_found')
  expect(await stepOf(user, to)).toBe('consent')
})

test('D282 a link to the sign-in of an attacker leads the user of another browser nowhere', async () => {
  const [attacker, victim] = [t.browser(site), await member(t, site)]
  const planted = await authorize(shop, attacker)
  const led = await resume(victim, planted.to)
  expect(led.pathname).toBe('/authorizeError/session_not_found')
  expect((await resume(attacker, planted.to)).pathname).toMatch(/^\/login\//)
})

const addressOf = (params: Record<string, string> = {}) =>
  `${new URLSearchParams({
    client_id: 'shop',
    redirect_uri: back,
    response_type: 'code',
    scope: 'openid',
    code_challenge: 'c'.repeat(43),
    code_challenge_method: 'S256',
    ...params,
  })}`

test('D282 a form that another site posts becomes an address and takes no session with it', async () => {
  const user = await member(t, site)
  const reply = await t.app.inject({
    method: 'POST',
    url: '/oidc/authorize',
    headers: { host: site.host, 'content-type': 'application/x-www-form-urlencoded' },
    payload: addressOf({ state: 'st' }),
  })
  expect(reply.statusCode).toBe(303)
  expect(reply.headers['set-cookie']).toBeUndefined()
  const to = new URL(await user.go(String(reply.headers.location)))
  expect([to.origin + to.pathname, hasCode(to), to.searchParams.get('state')]).toEqual([back, true, 'st'])
})

test('D282 two session cookies are none', async () => {
  const user = await member(t, site)
  const [name, value] = [...user.cookies].find(([each]) => each === '__Host-hufu') ?? []
  const at = (cookie: string) =>
    t.app.inject({ url: `/oidc/authorize?${addressOf()}`, headers: { host: site.host, cookie } })
  expect((await at(`${name}=${value}`)).headers.location).toMatch(/^https:\/\/shop\.example\.com\/callback\?code=/)
  for (const cookie of [`${name}=${value}; ${name}=${value}`, `${name}=other; ${name}=${value}`])
    expect((await at(cookie)).headers.location).toMatch(/^\/login\//)
})

test.each([
  ['invalid_client', { client_id: 'unknown' }],
  ['invalid_redirect_uri', { redirect_uri: `${back}?more=1` }],
  ['invalid_redirect_uri', { client_id: 'worker' }],
])('D282 what can not go back to a client leads to our own page: %s', async (code, params) => {
  const reply = await t.app.inject({
    url: `/oidc/authorize?${addressOf(params as Record<string, string>)}`,
    headers: { host: site.host },
  })
  expect(reply.statusCode).toBe(303)
  const to = new URL(String(reply.headers.location), site.origin)
  expect(to.pathname).toBe(`/authorizeError/${code}`)
  const id = to.searchParams.get('id') ?? 'none'
  expect(reply.headers['x-request-id']).toBe(id)
  await vi.waitFor(() => expect(t.log.some((line) => line.includes(id) && line.includes('/oidc/authorize'))).toBe(true))
})

test('D282 the user learns of a sign-in to a client once per session and client', async () => {
  const user = await member(t, site)
  const other = await signInAgain(t, site, user)
  const count = async () =>
    (
      await t.deps.pool.query(
        "SELECT detail->>'client' AS client, detail->>'origin' AS origin FROM security_log WHERE user_id = $1 AND event = 'authorize'",
        [user.id],
      )
    ).rows
  for (const browser of [user, user, user]) expect(hasCode((await authorize(shop, browser)).to)).toBe(true)
  const once = { client: '青屿商城', origin: 'https://shop.example.com' }
  expect(await count()).toEqual([once])
  await authorize(shop, other)
  expect(await count()).toEqual([once, once])
  const { to } = await authorize(books, user, thirdParty)
  expect(await count()).toHaveLength(2)
  await user.call(answerInteraction, { id: interactionIn(to), accept: true })
  await resume(user, to)
  expect(await count()).toHaveLength(3)
})

test('D279 several pages in turn ask each question once: sign-in or account, then consent', async () => {
  for (const prompt of ['login consent', 'select_account consent', 'select_account', 'login']) {
    const user = await member(t, site)
    await passTime(user, 100)
    const { to, checks } = await authorize(books, user, { ...thirdParty, prompt })
    const first = prompt.startsWith('login') ? 'login' : 'account'
    expect(await stepOf(user, to)).toBe(first)
    if (first === 'login') await signInHere(user, user)
    else await user.call(answerInteraction, { id: interactionIn(to), accept: true })
    const second = await resume(user, to)
    expect(await stepOf(user, second)).toBe('consent')
    // The user reads for a while.
    await passTime(user, 5)
    await t.deps.pool.query(
      `UPDATE oidc_item SET payload = jsonb_set(payload::jsonb, '{beganAt}', to_jsonb((payload->>'beganAt')::int - 5))
       WHERE kind = 'Interaction'`,
    )
    await user.call(answerInteraction, { id: interactionIn(second), accept: true })
    expect((await claimsOf(books, await resume(user, second), checks))?.aud).toBe('books')
  }
})
