import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { confirmLogout, readLogout } from '@hufu/contract/oidc'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { afterLogout, callback, type Suite, startSuite, suiteClient } from '../../../test/conformance.ts'
import type { TestBrowser } from '../../../test/test-app.ts'
import { createBreaker } from '../../integrations/breaker.ts'
import { backchannelLogoutJob } from './backchannel-logout.ts'

interface Received {
  method: IncomingMessage['method']
  path: string | undefined
  type: string | undefined
  token: string
}

let suite: Suite
/** The client's server. */
let receiver: Server
const received: Received[] = []

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    const { method, url: path, headers } = request
    const token = new URLSearchParams(await text(request)).get('logout_token') ?? ''
    received.push({ method, path, type: headers['content-type'], token })
    response.writeHead(200).end()
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  const backchannel = { returns: [callback, `${origin}/callback`], backchannelUrl: `${origin}/backchannel_logout` }
  suite = await startSuite([suiteClient('suite', backchannel), suiteClient('suite-post')])
})
afterAll(async () => {
  await suite.close()
  receiver.close()
})

const metadata = async () => {
  const reply = await suite.fetch(`${suite.site.origin}/.well-known/openid-configuration`)
  return (await reply.json()) as Record<string, unknown>
}

const logoutWith = (browser: TestBrowser, params: Record<string, string>) =>
  browser.go(`/oidc/logout?${new URLSearchParams(params)}`, { 'sec-fetch-site': 'cross-site' })

/** Signed in to the client, with an ID token of this session. */
async function signedIn() {
  const browser = await suite.signedIn()
  const { tokens, claims } = await suite.complete(browser)
  return { browser, claims, hint: tokens.id_token ?? '' }
}

const isSignedIn = async (browser: TestBrowser): Promise<boolean> => {
  const { params } = await suite.authorize(browser, { prompt: 'none' })
  if (!params.has('code')) expect(params.get('error')).toBe('login_required')
  return params.has('code')
}

/** The page on which the user agrees; where it leads to. */
async function agree(browser: TestBrowser, page: string): Promise<string | undefined> {
  expect(page).toMatch(/^\/logout\/[\w-]{43}$/)
  const id = page.split('/')[2] ?? ''
  expect((await browser.call(readLogout, { id })).status).toBe(200)
  expect(await isSignedIn(browser)).toBe(true)
  return (await browser.call(confirmLogout, { id })).data?.location
}

/** The request leads to our own page of errors, and nothing has happened. */
async function refused(browser: TestBrowser, params: Record<string, string>): Promise<void> {
  expect(await logoutWith(browser, params)).toMatch(/^\/authorizeError\/invalid_request\?id=./)
  expect(await isSignedIn(browser)).toBe(true)
}

/** The user is asked, and stays with us: the client isn't known, nor where it may send the browser. */
async function asked(params: Record<string, string>): Promise<void> {
  const { browser } = await signedIn()
  expect(await agree(browser, await logoutWith(browser, params))).toBe('/logout')
  expect(await isSignedIn(browser)).toBe(false)
}

const post_logout_redirect_uri = afterLogout
const state = 'a state of logout'
const modified = (jwt: string) => {
  const [header, payload, signature = ''] = jwt.split('.')
  return [header, payload, `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`].join('.')
}

describe('D272 RP-initiated logout', () => {
  const modules: Record<string, () => Promise<void>> = {
    async ''() {
      const { browser, hint } = await signedIn()
      const to = await logoutWith(browser, { id_token_hint: hint, post_logout_redirect_uri, state })
      expect(to).toBe(`${afterLogout}?state=${encodeURIComponent(state)}`)
      expect(await isSignedIn(browser)).toBe(false)
    },
    async '-bad-post-logout-redirect-uri'() {
      const { browser, hint } = await signedIn()
      await refused(browser, { id_token_hint: hint, post_logout_redirect_uri: `${afterLogout}x`, state })
    },
    async '-query-added-to-post-logout-redirect-uri'() {
      const { browser, hint } = await signedIn()
      await refused(browser, { id_token_hint: hint, post_logout_redirect_uri: `${afterLogout}?foo=bar`, state })
    },
    async '-modified-id-token-hint'() {
      const { browser, hint } = await signedIn()
      await refused(browser, { id_token_hint: modified(hint), post_logout_redirect_uri, state })
    },
    async '-bad-id-token-hint'() {
      const { browser } = await signedIn()
      await refused(browser, { id_token_hint: 'bad', post_logout_redirect_uri, state })
    },
    '-no-id-token-hint': () => asked({ post_logout_redirect_uri, state }),
    '-no-params': () => asked({}),
    '-only-state': () => asked({ state }),
    async '-no-post-logout-redirect-uri'() {
      const { browser, hint } = await signedIn()
      expect(await logoutWith(browser, { id_token_hint: hint, state })).toBe('/logout')
      expect(await isSignedIn(browser)).toBe(false)
    },
    async '-no-state'() {
      const { browser, hint } = await signedIn()
      expect(await logoutWith(browser, { id_token_hint: hint, post_logout_redirect_uri })).toBe(afterLogout)
      expect(await isSignedIn(browser)).toBe(false)
    },
    async '-discovery-endpoint-verification'() {
      expect(await metadata()).toMatchObject({
        issuer: suite.site.origin,
        end_session_endpoint: `${suite.site.origin}/oidc/logout`,
      })
    },
  }

  test.each(Object.entries(modules))('oidcc-rp-initiated-logout%s', (_name, run) => run())

  test('a hint of another session of the same user is not this one: the user is asked, and returns to the client', async () => {
    const { browser } = await signedIn()
    const { hint, browser: other } = await signedIn()
    const page = await logoutWith(browser, { id_token_hint: hint, post_logout_redirect_uri, state })
    expect(await agree(browser, page)).toBe(`${afterLogout}?state=${encodeURIComponent(state)}`)
    expect([await isSignedIn(browser), await isSignedIn(other)]).toEqual([false, true])
  })

  test('a page of logout is answered by its own session alone', async () => {
    const { browser } = await signedIn()
    const { browser: other } = await signedIn()
    const id = (await logoutWith(browser, {})).split('/')[2] ?? ''
    for (const call of [readLogout, confirmLogout])
      expect((await other.call(call, { id })).code).toBe('AUTHORIZE_EXPIRED')
    expect(await isSignedIn(browser)).toBe(true)
  })

  test('a form that is posted becomes an address, which brings the cookies', async () => {
    const { browser, hint } = await signedIn()
    const reply = await suite.t.app.inject({
      method: 'POST',
      url: '/oidc/logout',
      headers: { host: suite.site.host, 'content-type': 'application/x-www-form-urlencoded' },
      payload: `${new URLSearchParams({ id_token_hint: hint, post_logout_redirect_uri })}`,
    })
    expect(reply.statusCode).toBe(303)
    expect(await browser.go(String(reply.headers.location))).toBe(afterLogout)
    expect(await isSignedIn(browser)).toBe(false)
  })

  test('without a session there is nothing to ask', async () => {
    const { browser, hint } = await signedIn()
    await logoutWith(browser, { id_token_hint: hint })
    expect(await logoutWith(browser, { id_token_hint: hint, post_logout_redirect_uri })).toBe(afterLogout)
    expect(await logoutWith(browser, {})).toBe('/logout')
  })
})

describe('D273 Back-channel logout', () => {
  /** As the worker does, on a machine whose own addresses are fine. */
  async function runJobs(): Promise<void> {
    const { deps } = suite.t
    const taken = "DELETE FROM pgboss.job WHERE name = 'oidc-logout' RETURNING data"
    const config = { ...deps.config, insecureHttp: true }
    for (const { data } of (await deps.pool.query(taken)).rows)
      await backchannelLogoutJob({ ...deps, breaker: createBreaker(), config }).run(data)
  }

  test('oidcc-backchannel-rp-initiated-logout', async () => {
    const { browser, hint, claims } = await signedIn()
    await runJobs()
    received.length = 0
    expect(await logoutWith(browser, { id_token_hint: hint, post_logout_redirect_uri, state })).toContain(afterLogout)
    await runJobs()
    expect(received).toHaveLength(1)
    expect(received[0]).toMatchObject({
      method: 'POST',
      path: '/backchannel_logout',
      type: 'application/x-www-form-urlencoded',
    })
    const { payload, protectedHeader } = await suite.verify(received[0]?.token ?? '')
    expect(protectedHeader).toMatchObject({ alg: 'RS256', typ: 'logout+jwt' })
    expect(payload).toMatchObject({
      sub: claims.sub,
      sid: claims.sid,
      jti: expect.any(String),
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    })
    expect(payload.sid).toEqual(expect.any(String))
    expect(payload).not.toHaveProperty('nonce')
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBeLessThanOrEqual(120)
    expect(await isSignedIn(browser)).toBe(false)
  })

  test('oidcc-backchannel-logout-discovery-endpoint-verification', async () => {
    expect(await metadata()).toMatchObject({
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    })
  })
})
