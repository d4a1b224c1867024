import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Completed,
  callback,
  type Suite,
  startSuite,
  suiteClient,
  type Tokens,
} from '../../../test/conformance.ts'

/** The modules of the official suite for the Basic profile, under their own names. */
type Module = (suite: Suite) => Promise<void>

const userinfo = async ({ site, fetch }: Suite, init: RequestInit) => {
  const reply = await fetch(`${site.origin}/oidc/userinfo`, init)
  return { status: reply.status, ...((await reply.json()) as Record<string, unknown>) }
}

const bearer = ({ access_token: token = '' }: Tokens) => ({ authorization: `Bearer ${token}` })
const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** A request with these parameters succeeds like one without. */
const succeedsWith =
  (params: Record<string, string>): Module =>
  async (suite) => {
    const { claims } = await suite.complete(await suite.signedIn(), params)
    expect(claims.sub).toBe(suite.user.id)
  }

/** A scope brings its claims at the userinfo endpoint, and nothing but them. */
const scopeBrings =
  (scope: string, claims: (user: Suite['user']) => Record<string, unknown>): Module =>
  async (suite) => {
    const { tokens } = await suite.complete(await suite.signedIn(), { scope: `openid ${scope}` })
    const info = await userinfo(suite, { headers: bearer(tokens) })
    expect(info).toEqual({ status: 200, sub: suite.user.id, ...claims(suite.user) })
  }

const profileOf = () => ({ name: '沈澜', nickname: '沈澜' })
const emailOf = ({ email }: Suite['user']) => ({ email, email_verified: true })
const phoneOf = ({ mobile }: Suite['user']) => ({ phone_number: `+86${mobile}`, phone_number_verified: true })

/** A request object is either understood or refused by its own error. */
const refusedAs =
  (error: string, params: Record<string, string>): Module =>
  async (suite) => {
    const { at, params: answer } = await suite.authorize(await suite.signedIn(), params)
    expect(at).toBe(callback)
    expect(answer.get('error')).toBe(error)
    expect(answer.get('state')).toBe('a state')
  }

async function reuseCode(suite: Suite, between: () => Promise<unknown> = async () => {}): Promise<void> {
  const { tokens, arrival } = await suite.complete(await suite.signedIn())
  expect(await userinfo(suite, { headers: bearer(tokens) })).toMatchObject({ status: 200 })
  await between()
  expect(await suite.exchange(arrival)).toMatchObject({ status: 400, error: 'invalid_grant' })
  expect(await userinfo(suite, { headers: bearer(tokens) })).toMatchObject({ status: 401, error: 'invalid_token' })
}

const sameUser = (one: Completed, two: Completed) => {
  expect(two.claims.sub).toBe(one.claims.sub)
  expect(two.claims.iss).toBe(one.claims.iss)
}

/** A second request of a browser in which the user signed in a while ago. */
async function twoRequests(suite: Suite, first: Record<string, string>, second: Record<string, string>) {
  const browser = await suite.signedIn()
  await suite.passTime(browser, 100)
  const one = await suite.complete(browser, first)
  const two = await suite.complete(browser, second)
  sameUser(one, two)
  return { one, two, pages: two.arrival.pages, between: (two.claims.auth_time ?? 0) - (one.claims.auth_time ?? 0) }
}

const verifier = 'v'.repeat(64)
const pkce = {
  code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  code_challenge_method: 'S256',
}

const modules: Record<string, Module> = {
  async 'oidcc-server'(suite) {
    const { claims, header, tokens, arrival } = await suite.complete(suite.visitor())
    expect(arrival.pages).toEqual(['login'])
    expect(claims).toMatchObject({ nonce: 'a nonce', sub: suite.user.id, auth_time: expect.any(Number) })
    expect(header).toMatchObject({ alg: 'RS256', kid: expect.any(String) })
    expect(tokens.scope).toBe('openid')
    const atHash = createHash('sha256')
      .update(tokens.access_token ?? '')
      .digest()
      .subarray(0, 16)
    if (claims.at_hash !== undefined) expect(claims.at_hash).toBe(atHash.toString('base64url'))
  },
  async 'oidcc-response-type-missing'(suite) {
    const { at, params } = await suite.authorize(await suite.signedIn(), { response_type: undefined })
    expect(at).toBe(callback)
    expect(params.get('error')).toBe('invalid_request')
    expect(params.get('state')).toBe('a state')
  },
  async 'oidcc-idtoken-signature'(suite) {
    const { claims, tokens } = await suite.complete(await suite.signedIn())
    const now = Date.now() / 1000
    expect(claims.exp).toBeGreaterThan(now)
    expect(Math.abs((claims.iat ?? 0) - now)).toBeLessThan(60)
    const [header, payload, signature = ''] = (tokens.id_token ?? '').split('.')
    const forged = [header, payload, `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`].join('.')
    await expect(suite.verify(forged)).rejects.toThrow('signature verification failed')
  },
  async 'oidcc-userinfo-get'(suite) {
    const { tokens, claims } = await suite.complete(await suite.signedIn())
    expect(await userinfo(suite, { headers: bearer(tokens) })).toEqual({ status: 200, sub: claims.sub })
  },
  async 'oidcc-userinfo-post-header'(suite) {
    const { tokens, claims } = await suite.complete(await suite.signedIn())
    const posted = await userinfo(suite, { method: 'POST', headers: bearer(tokens) })
    expect(posted).toEqual({ status: 200, sub: claims.sub })
  },
  async 'oidcc-userinfo-post-body'(suite) {
    const { tokens, claims } = await suite.complete(await suite.signedIn())
    const body = new URLSearchParams({ access_token: tokens.access_token ?? '' })
    const posted = await userinfo(suite, { method: 'POST', headers: form, body })
    expect(posted).toEqual({ status: 200, sub: claims.sub })
  },
  async 'oidcc-ensure-request-without-nonce-succeeds-for-code-flow'(suite) {
    const { claims } = await suite.complete(await suite.signedIn(), { nonce: undefined })
    expect(claims).not.toHaveProperty('nonce')
  },
  'oidcc-scope-profile': scopeBrings('profile', profileOf),
  'oidcc-scope-email': scopeBrings('email', emailOf),
  'oidcc-scope-phone': scopeBrings('phone', phoneOf),
  // The suite asks for addresses as well; what a provider doesn't know it ignores.
  'oidcc-scope-all': scopeBrings('profile email address phone', (user) => ({
    ...profileOf(),
    ...emailOf(user),
    ...phoneOf(user),
  })),
  'oidcc-ensure-other-scope-order-succeeds': succeedsWith({ scope: 'email openid' }),
  'oidcc-display-page': succeedsWith({ display: 'page' }),
  'oidcc-display-popup': succeedsWith({ display: 'popup' }),
  async 'oidcc-prompt-login'(suite) {
    const { pages, between } = await twoRequests(suite, {}, { prompt: 'login' })
    expect(pages).toEqual(['login'])
    expect(between).toBeGreaterThan(90)
  },
  async 'oidcc-prompt-none-not-logged-in'(suite) {
    const { at, params, pages } = await suite.authorize(suite.visitor(), { prompt: 'none' })
    expect(at).toBe(callback)
    expect(pages).toEqual([])
    expect(params.get('error')).toBe('login_required')
    expect(params.get('state')).toBe('a state')
  },
  async 'oidcc-prompt-none-logged-in'(suite) {
    const { pages, between } = await twoRequests(suite, {}, { prompt: 'none' })
    expect(pages).toEqual([])
    expect(between).toBe(0)
  },
  async 'oidcc-max-age-1'(suite) {
    const { pages, between } = await twoRequests(suite, {}, { max_age: '1' })
    expect(pages).toEqual(['login'])
    expect(between).toBeGreaterThan(90)
  },
  async 'oidcc-max-age-10000'(suite) {
    const { pages, between, two } = await twoRequests(suite, { max_age: '15000' }, { max_age: '10000' })
    expect(pages).toEqual([])
    expect(between).toBe(0)
    expect(Date.now() / 1000 - (two.claims.auth_time ?? 0)).toBeLessThan(10_000)
  },
  'oidcc-ensure-request-with-unknown-parameter-succeeds': succeedsWith({ extra: 'foobar' }),
  async 'oidcc-id-token-hint'(suite) {
    const browser = await suite.signedIn()
    const one = await suite.complete(browser)
    const two = await suite.complete(browser, { prompt: 'none', id_token_hint: one.tokens.id_token })
    sameUser(one, two)
    expect(two.claims.auth_time).toBe(one.claims.auth_time)
  },
  'oidcc-login-hint': succeedsWith({ login_hint: 'buffy@suite.example.com' }),
  'oidcc-ui-locales': succeedsWith({ ui_locales: 'se' }),
  'oidcc-claims-locales': succeedsWith({ claims_locales: 'se' }),
  async 'oidcc-ensure-request-with-acr-values-succeeds'(suite) {
    const { claims } = await suite.complete(await suite.signedIn(), { acr_values: '1 2' })
    expect(claims.acr).toBe('1')
  },
  'oidcc-codereuse': (suite) => reuseCode(suite),
  'oidcc-codereuse-30seconds': (suite) =>
    reuseCode(suite, () =>
      suite.t.deps.pool.query(
        `UPDATE oidc_item SET expires_at = expires_at - interval '30 seconds',
           consumed_at = consumed_at - interval '30 seconds' WHERE kind = 'AuthorizationCode'`,
      ),
    ),
  async 'oidcc-ensure-registered-redirect-uri'(suite) {
    const { at, by } = await suite.authorize(await suite.signedIn(), { redirect_uri: `${callback}/other` })
    expect([at, by]).toEqual(['/authorizeError/invalid_redirect_uri', 'redirect'])
  },
  async 'oidcc-ensure-post-request-succeeds'(suite) {
    const arrival = await suite.authorize(suite.visitor(), {}, 'POST')
    expect(await suite.exchange(arrival)).toMatchObject({ status: 200 })
  },
  async 'oidcc-server-client-secret-post'(suite) {
    const arrival = await suite.authorize(await suite.signedIn(), { client_id: 'suite-post' })
    const code = arrival.params.get('code') ?? ''
    const body = { grant_type: 'authorization_code', code, redirect_uri: callback }
    const tokens = await suite.token(body, { id: 'suite-post', post: true })
    expect(tokens.status).toBe(200)
    expect((await suite.verify(tokens.id_token ?? '', 'suite-post')).payload.sub).toBe(suite.user.id)
  },
  'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported': refusedAs('request_uri_not_supported', {
    request_uri: 'https://suite.example.com/requests/1',
  }),
  'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported': refusedAs('request_not_supported', {
    request: 'eyJhbGciOiJub25lIn0.e30.',
  }),
  async 'oidcc-claims-essential'(suite) {
    const claims = JSON.stringify({ userinfo: { name: { essential: true } } })
    const { tokens } = await suite.complete(await suite.signedIn(), { claims })
    expect(await userinfo(suite, { headers: bearer(tokens) })).toEqual({
      status: 200,
      sub: suite.user.id,
      name: '沈澜',
    })
  },
  async 'oidcc-refresh-token'(suite) {
    const scope = 'openid offline_access'
    const { tokens, claims } = await suite.complete(await suite.signedIn(), { scope, prompt: 'consent' })
    const body = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' }
    const next = await suite.token(body)
    expect(next).toMatchObject({ status: 200, token_type: 'Bearer', cache: 'no-store' })
    expect(next.access_token).not.toBe(tokens.access_token)
    const { payload } = await suite.verify(next.id_token ?? '')
    expect(payload).toMatchObject({ sub: claims.sub, auth_time: claims.auth_time })
    expect(payload.iat).toBeGreaterThanOrEqual(claims.iat ?? 0)
    const stolen = { grant_type: 'refresh_token', refresh_token: next.refresh_token ?? '' }
    expect(await suite.token(stolen, { id: 'suite-post' })).toMatchObject({ status: 400, error: 'invalid_grant' })
    expect(await suite.token(stolen)).toMatchObject({ status: 200 })
  },
  async 'oidcc-ensure-request-with-valid-pkce-succeeds'(suite) {
    const browser = await suite.signedIn()
    const arrival = await suite.authorize(browser, pkce)
    expect(await suite.exchange(arrival, { code_verifier: verifier })).toMatchObject({ status: 200 })
    for (const more of [{}, { code_verifier: 'w'.repeat(64) }]) {
      const refused = await suite.exchange(await suite.authorize(browser, pkce), more as Record<string, string>)
      expect(refused).toMatchObject({ status: 400, error: 'invalid_grant' })
    }
  },
}

const modes = [
  ['D270 Basic', {}, 'redirect'],
  ['D271 Form Post Basic', { response_mode: 'form_post' }, 'form'],
] as const

describe.each(modes)('%s', (_, params, by) => {
  let suite: Suite
  beforeAll(async () => {
    suite = await startSuite([suiteClient('suite'), suiteClient('suite-post')], params)
    await suite.t.deps.pool.query('UPDATE users SET nickname = $2 WHERE id = $1', [suite.user.id, '沈澜'])
  })
  afterAll(() => suite.close())

  test.each(Object.entries(modules))('%s', async (_name, run) => {
    await run(suite)
  })

  test('the answer comes by the way that was asked for', async () => {
    expect((await suite.authorize(await suite.signedIn())).by).toBe(by)
    expect((await suite.authorize(suite.visitor(), { prompt: 'none' })).by).toBe(by)
  })

  test('D345 a request object is refused the way that it asks for, where its address says nothing', async () => {
    const unsigned = (claims: unknown) =>
      `eyJhbGciOiJub25lIn0.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`
    const ask = async (claims: unknown, state?: string) => {
      const query = { state, nonce: undefined, response_mode: undefined, request: unsigned(claims) }
      const { at, by: way, params: answer } = await suite.authorize(await suite.signedIn(), query)
      return [at, way, answer.get('error'), answer.get('state')]
    }
    const refusal = [callback, by, 'request_not_supported']
    expect(await ask({ ...params, state: 'its state' })).toEqual([...refusal, 'its state'])
    expect(await ask({ ...params, state: 'its state' }, 'of the address')).toEqual([...refusal, 'of the address'])
    for (const odd of [null, [], 'text', { state: 7, response_mode: ['form_post'] }])
      expect(await ask(odd)).toEqual([callback, 'redirect', 'request_not_supported', null])
    // Nothing else is read from it.
    const elsewhere = { ...params, redirect_uri: 'https://thief.example.com/', client_id: 'suite-post' }
    expect(await ask(elsewhere)).toEqual([...refusal, null])
  })
})
