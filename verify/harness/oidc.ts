import { randomBytes } from 'node:crypto'
import { oidcPaths } from '@hufu/contract/oidc'
import { inject } from 'vitest'
import { sha256 } from '../../apps/server/src/platform/crypto/hash.ts'
import type { Client } from '../../apps/server/src/shared/sites/client-gate.ts'
import { oidcClients, secretOf } from '../../apps/server/test/oidc.ts'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { type Browser, freshAddress, nextUrl } from './harness.ts'
import { type Reply, send } from './http.ts'

const randomText = () => randomBytes(32).toString('base64url')

/** A client's request, as it remembers it until the browser is back. */
export interface Asked {
  client: string
  redirect_uri: string
  verifier: string
  state: string
  nonce: string
}

export interface Led {
  asked: Asked
  status: number
  /** Where the browser was led to. */
  to: URL
  /** The code, where it was led back to the client with one. */
  code: string
}

const returnOf = (client: string): string =>
  oidcClients.find(({ id }) => id === client)?.returns?.[0] ?? 'https://shop.example.com/callback'

export const newRequest = (client = 'shop'): Asked => ({
  client,
  redirect_uri: returnOf(client),
  verifier: randomText(),
  state: randomText(),
  nonce: randomText(),
})

type Params = Record<string, string | undefined>

export const query = (params: Params): string =>
  new URLSearchParams(
    Object.entries(params).filter((pair): pair is [string, string] => pair[1] !== undefined),
  ).toString()

/** The parameters of an authorization; `undefined` removes one. */
export const paramsOf = ({ client, redirect_uri, verifier, state, nonce }: Asked, own: Params = {}): Params => ({
  client_id: client,
  response_type: 'code',
  redirect_uri,
  scope: 'openid profile',
  state,
  nonce,
  code_challenge: sha256(verifier).toString('base64url'),
  code_challenge_method: 'S256',
  ...own,
})

const locationOf = ({ headers }: Pick<Reply, 'headers'>): URL =>
  new URL(headers.location ?? 'about:blank', 'https://none.invalid')

/** A browser follows a link of another site. From a new network each time: rate limits are another test's. */
export const navigate = (browser: Browser, path: string, headers: Record<string, string | undefined> = {}) =>
  browser.get(path, {
    'sec-fetch-site': 'cross-site',
    accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
    'x-forwarded-for': freshAddress(),
    ...headers,
  })

/** Sends a browser to the provider, as a client does. */
export async function authorize(browser: Browser, client = 'shop', own: Params = {}): Promise<Led> {
  const asked = newRequest(client)
  const path = `${oidcPaths.authorize}?${query(paramsOf(asked, own))}`
  const reply = await navigate(browser, path)
  const to = locationOf(reply)
  return { asked, status: reply.status, to, code: to.searchParams.get('code') ?? '' }
}

export const interactionIn = ({ pathname }: URL): string =>
  decodeURIComponent(decodeURIComponent(pathname)).split('/').at(-1) ?? ''

export async function resume(browser: Browser, to: URL): Promise<URL> {
  const path = oidcPaths.resume.replace(':uid', interactionIn(to))
  return locationOf(await navigate(browser, path, { 'sec-fetch-site': 'same-origin' }))
}

export interface Tokens {
  access_token: string
  refresh_token?: string
  id_token?: string
  scope?: string
  error?: string
}

export interface Answered extends Reply {
  json: Partial<Tokens> & Record<string, unknown>
}

export interface Calling {
  /** The processes to call in turn. */
  urls?: string[]
  headers?: Record<string, string>
}

const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`

/** The headers by which a client proves itself; public ones have none. */
export const proofOf = (client: string, secret = secretOf(client)): Record<string, string> =>
  client === 'page' || client === 'app' ? {} : { authorization: basic(client, secret) }

/** What a client's server posts. */
export async function postForm(site: TestSite, path: string, params: Params, calling: Calling = {}): Promise<Answered> {
  const { urls, headers = {} } = calling
  const reply = await send(nextUrl(urls), {
    path,
    body: query(params),
    headers: {
      host: site.host,
      'content-type': 'application/x-www-form-urlencoded',
      'x-forwarded-for': freshAddress(),
      ...headers,
    },
  })
  return { ...reply, json: jsonOf(reply.body) }
}

function jsonOf(body: string): Answered['json'] {
  try {
    return JSON.parse(body)
  } catch {
    return {}
  }
}

/** Exchanges a code; `own` replaces or removes parameters. */
export function exchange(site: TestSite, { asked, code }: Led, own: Params = {}, calling: Calling = {}) {
  const { client, redirect_uri, verifier } = asked
  const open = client === 'page' || client === 'app'
  const params = { grant_type: 'authorization_code', code, redirect_uri, code_verifier: verifier }
  return postForm(
    site,
    oidcPaths.token,
    { ...params, ...(open && { client_id: client }), ...own },
    { headers: proofOf(client), ...calling },
  )
}

export const refresh = (site: TestSite, token: string | undefined, own: Params = {}, calling: Calling = {}) =>
  postForm(
    site,
    oidcPaths.token,
    { grant_type: 'refresh_token', refresh_token: token, ...own },
    { headers: proofOf('shop'), ...calling },
  )

export async function userinfo(site: TestSite, token: string | undefined, urls?: string[]): Promise<Answered> {
  const headers = { host: site.host, authorization: `Bearer ${token}`, 'x-forwarded-for': freshAddress() }
  const reply = await send(nextUrl(urls), { path: oidcPaths.userinfo, method: 'GET', headers })
  return { ...reply, json: jsonOf(reply.body) }
}

export const introspect = (site: TestSite, token: string | undefined, calling: Calling = {}) =>
  postForm(site, oidcPaths.introspect, { token }, { headers: proofOf('shop'), ...calling })

/** The tokens of a signed-in user at a first-party client. */
export async function tokensOf(
  site: TestSite,
  user: Browser,
  client = 'shop',
  scope = 'openid profile',
  urls = inject('apiUrls'),
) {
  // OpenID Connect Core: without this prompt offline_access is ignored.
  const offline = scope.includes('offline_access') && { prompt: 'consent' }
  const led = await authorize(user, client, { scope, ...offline })
  const { json, status, body } = await exchange(site, led, {}, { urls, headers: proofOf(client) })
  if (status !== 200) throw new Error(`no tokens: ${led.to} ${status} ${body}`)
  return json as Tokens
}

export const withClients = (...more: Client[]) => ({ clients: [...oidcClients, ...more] })
