import { loginByPassword } from '@hufu/contract/login'
import { createRemoteJWKSet, customFetch, type JWTPayload, type JWTVerifyResult, jwtVerify } from 'jose'
import { expect } from 'vitest'
import type { Client } from '../src/shared/sites/client-gate.ts'
import { type Member, member, password, signInAgain } from './account-user.ts'
import { fetchFrom, secretOf } from './oidc.ts'
import { sessionOf, startTestApp, type TestApp, type TestBrowser, type TestSite } from './test-app.ts'

export const callback = 'https://suite.example.com/test/a/hufu/callback'
export const afterLogout = 'https://suite.example.com/test/a/hufu/post_logout_redirect'

const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** Undefined takes a parameter out. */
export type Params = Record<string, string | undefined>

const present = (params: Params): Record<string, string> =>
  Object.fromEntries(Object.entries(params).filter((each): each is [string, string] => each[1] !== undefined))

/** The clients that docs/conformance configures: the suite sends no PKCE with most requests. */
export const suiteClient = (id: string, more: Partial<Client> = {}): Client => ({
  id,
  name: 'OpenID Foundation',
  kind: 'web',
  firstParty: true,
  pkceOptional: true,
  secret: secretOf(id),
  returns: [callback],
  logoutReturns: [afterLogout],
  scopes: [{ name: 'profile' }, { name: 'phone' }, { name: 'email' }, { name: 'offline_access' }],
  ...more,
})

/** What an authorization request ended with. */
export interface Arrival {
  /** The address without what the provider added. */
  at: string
  params: URLSearchParams
  /** The pages that were shown on the way. */
  pages: string[]
  by: 'redirect' | 'form'
}

export interface Tokens {
  status: number
  cache: unknown
  error?: string
  access_token?: string
  id_token?: string
  refresh_token?: string
  token_type?: string
  expires_in?: number
  scope?: string
}

export interface Completed {
  tokens: Tokens
  claims: JWTPayload & { auth_time?: number; nonce?: string; sid?: string; acr?: string }
  header: JWTVerifyResult['protectedHeader']
  arrival: Arrival
}

const unescaped = (html: string) =>
  html
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

/** The fields of a page that posts itself to the client. */
function fieldsOf(html: string): { at: string; params: URLSearchParams } {
  const [, at = ''] = /<form method="post" action="([^"]+)"/.exec(html) ?? []
  const fields = [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)]
  return {
    at: unescaped(at),
    params: new URLSearchParams(fields.map(([, name = '', value = '']) => [name, unescaped(value)])),
  }
}

/** The client that the official suite plays, and the user who sits before it. */
export interface Suite {
  t: TestApp
  site: TestSite
  user: Member
  /** A browser in which the user isn't signed in. */
  visitor(): TestBrowser
  signedIn(): Promise<TestBrowser>
  /** Lets time pass since the user signed in. */
  passTime(browser: TestBrowser, seconds: number): Promise<void>
  /** Sends the browser to the provider, does what its pages ask for and answers where it ends. */
  authorize(browser: TestBrowser, params?: Params, method?: 'GET' | 'POST'): Promise<Arrival>
  token(body: Record<string, string>, by?: { id?: string; post?: boolean }): Promise<Tokens>
  exchange(arrival: Arrival, more?: Record<string, string>): Promise<Tokens>
  verify(token: string, audience?: string): Promise<JWTVerifyResult<Completed['claims']>>
  /** A sign-in up to the verified ID token. */
  complete(browser: TestBrowser, params?: Params): Promise<Completed>
  fetch: typeof fetch
  close(): Promise<void>
}

export async function startSuite(clients: Client[], defaults: Params = {}): Promise<Suite> {
  const t = await startTestApp()
  const site = await t.codeSite({ clients })
  const user = await member(t, site)
  const call = fetchFrom(t)
  const keys = createRemoteJWKSet(new URL(`${site.origin}/oidc/jwks`), { [customFetch]: call as never })

  /** As a browser does at the word of another site: a form that one posts brings no cookies. */
  async function visit(browser: TestBrowser, address: string, body?: string) {
    const { pathname, search } = new URL(address, site.origin)
    const reply = await t.app.inject({
      method: body === undefined ? 'GET' : 'POST',
      url: pathname + search,
      headers: {
        host: site.host,
        'sec-fetch-site': 'cross-site',
        ...(body === undefined
          ? { cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ') }
          : form),
      },
      ...(body !== undefined && { payload: body }),
    })
    for (const { name, value } of reply.cookies) browser.cookies.set(name, value)
    return reply
  }

  const signInAt = async (browser: TestBrowser) => {
    const answer = await browser.call(loginByPassword, { account: user.username, password })
    expect(answer.status).toBe(200)
  }

  async function authorize(browser: TestBrowser, params: Params = {}, method = 'GET'): Promise<Arrival> {
    const query = new URLSearchParams(
      present({
        client_id: 'suite',
        redirect_uri: callback,
        response_type: 'code',
        scope: 'openid',
        state: 'a state',
        nonce: 'a nonce',
        ...defaults,
        ...params,
      }),
    ).toString()
    const pages: string[] = []
    let reply = await (method === 'GET'
      ? visit(browser, `/oidc/authorize?${query}`)
      : visit(browser, '/oidc/authorize', query))
    for (let hops = 0; hops < 6; hops++) {
      if (reply.headers.location === undefined) return { ...fieldsOf(reply.body), pages, by: 'form' }
      const to = new URL(reply.headers.location, site.origin)
      if (to.origin !== site.origin || to.pathname.startsWith('/authorizeError/')) {
        const at = to.origin === site.origin ? to.pathname : to.origin + to.pathname
        return { at, params: to.searchParams, pages, by: 'redirect' }
      }
      if (!to.pathname.startsWith('/oidc/')) {
        const [, page = '', next = ''] = to.pathname.split('/')
        pages.push(page)
        if (page === 'login') await signInAt(browser)
        reply = await visit(browser, decodeURIComponent(next))
      } else reply = await visit(browser, to.pathname + to.search)
    }
    throw new Error(`led in circles: ${pages.join()}`)
  }

  async function token(body: Record<string, string>, { id = 'suite', post = false } = {}): Promise<Tokens> {
    const basic = `Basic ${Buffer.from(`${id}:${secretOf(id)}`).toString('base64')}`
    const reply = await call(`${site.origin}/oidc/token`, {
      method: 'POST',
      headers: { ...form, ...(!post && { authorization: basic }) },
      body: new URLSearchParams({ ...body, ...(post && { client_id: id, client_secret: secretOf(id) }) }),
    })
    return { ...((await reply.json()) as object), status: reply.status, cache: reply.headers.get('cache-control') }
  }

  const exchange = ({ params }: Arrival, more: Record<string, string> = {}) =>
    token({
      grant_type: 'authorization_code',
      code: params.get('code') ?? '',
      redirect_uri: callback,
      ...more,
    })

  const verify = (jwt: string, audience = 'suite') =>
    jwtVerify<Completed['claims']>(jwt, keys, { issuer: site.origin, audience, algorithms: ['RS256'] })

  return {
    t,
    site,
    user,
    visitor: () => t.browser(site),
    signedIn: () => signInAgain(t, site, user),
    async passTime(browser, seconds) {
      const past = 'UPDATE session SET created_at = created_at - make_interval(secs => $2) WHERE id = $1'
      await t.deps.pool.query(past, [sessionOf(browser), seconds])
    },
    authorize,
    token,
    exchange,
    verify,
    async complete(browser, params) {
      const arrival = await authorize(browser, params)
      expect(arrival).toMatchObject({ at: callback })
      expect(Object.fromEntries(arrival.params)).toEqual({
        code: expect.any(String),
        state: 'a state',
        iss: site.origin,
      })
      const tokens = await exchange(arrival)
      expect(tokens).toMatchObject({ status: 200, token_type: 'Bearer', cache: 'no-store', expires_in: 600 })
      const { payload, protectedHeader } = await verify(tokens.id_token ?? '')
      return { tokens, claims: payload, header: protectedHeader, arrival }
    },
    fetch: call,
    close: () => t.close(),
  }
}
