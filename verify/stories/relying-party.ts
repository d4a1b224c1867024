import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { SiteConfig } from '@hufu/contract/site'
import * as openid from 'openid-client'
import type { StorySite } from './fixtures.ts'

type Client = NonNullable<SiteConfig['clients']>[number]

const secret = 'the-secret-of-a-story-client'

/** Two sites on this machine: one of the brand itself, one of others. An address belongs to one client. */
export const storyClients = (port: number): Client[] => [
  {
    id: 'shop',
    name: '青屿商城',
    kind: 'web',
    firstParty: true,
    secret,
    returns: [`http://localhost:${port}/callback`],
    logoutReturns: [`http://localhost:${port}/`],
    scopes: [{ name: 'profile' }, { name: 'phone' }],
  },
  {
    id: 'books',
    name: '海风书店',
    kind: 'web',
    secret,
    returns: [`http://127.0.0.1:${port}/callback`],
    logoutReturns: [`http://127.0.0.1:${port}/`],
    scopes: [
      { name: 'profile', required: true, reason: '用于显示您的身份' },
      { name: 'phone', reason: '用于发送到货通知' },
      { name: 'offline_access' },
    ],
  },
]

/** fetch won't send a Host of our choice, and the names of stories are known to the browser alone. */
export const fetchByAddress: typeof fetch = async (input, init) => {
  const { host, port, pathname, search } = new URL(String(input))
  const headers = { ...Object.fromEntries(new Headers(init?.headers)), host }
  const method = init?.method ?? 'GET'
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const sent = request({ host: '127.0.0.1', port, path: pathname + search, method, headers }, resolve)
  sent.on('error', reject)
  sent.end(init?.body == null ? undefined : String(init.body))
  const answer = await promise
  const known = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as [string, string])
  return new Response(await text(answer), { status: answer.statusCode ?? 0, headers: known })
}

interface Login {
  tokens: openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers
  info: openid.UserInfoResponse
}

export interface RelyingParty {
  /** Its address; the browser is signed in to it or not. */
  url: string
  /** What the last sign-in brought. */
  last(): Login
  refresh(): Promise<unknown>
  userinfo(): Promise<unknown>
}

const page = (response: ServerResponse, words: string) =>
  response
    .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    .end(`<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><h1>${words}</h1>`)

const lead = (response: ServerResponse, address: string) => response.writeHead(303, { location: address }).end()

/** The servers of both clients, told apart by the host that the browser names. `/login?…` passes its query on. */
export async function startRelyingParties(site: () => StorySite) {
  const logins = new Map<string, Login>()
  const started = new Map<string, openid.AuthorizationCodeGrantChecks>()
  const configurations = new Map<string, Promise<openid.Configuration>>()

  function configuration(id: string): Promise<openid.Configuration> {
    const known =
      configurations.get(id) ??
      openid.discovery(new URL(site().url), id, undefined, openid.ClientSecretBasic(secret), {
        execute: [openid.allowInsecureRequests],
        [openid.customFetch]: fetchByAddress as never,
      })
    configurations.set(id, known)
    return known
  }

  async function login(id: string, url: string, query: URLSearchParams): Promise<string> {
    const verifier = openid.randomPKCECodeVerifier()
    const state = randomBytes(16).toString('base64url')
    started.set(state, { pkceCodeVerifier: verifier, expectedState: state })
    const address = openid.buildAuthorizationUrl(await configuration(id), {
      redirect_uri: `${url}/callback`,
      scope: 'openid profile phone',
      state,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...Object.fromEntries(query),
    })
    return address.href
  }

  async function callback(id: string, url: string, query: URLSearchParams): Promise<string> {
    const refusal = query.get('error')
    if (refusal) return `/?refused=${refusal}`
    const config = await configuration(id)
    const checks = started.get(query.get('state') ?? '')
    const tokens = await openid.authorizationCodeGrant(config, new URL(`${url}/callback?${query}`), checks)
    const info = await openid.fetchUserInfo(config, tokens.access_token, tokens.claims()?.sub ?? '')
    logins.set(id, { tokens, info })
    return '/'
  }

  async function logout(id: string, url: string, hint: boolean): Promise<string> {
    const own = logins.get(id)
    logins.delete(id)
    const address = openid.buildEndSessionUrl(await configuration(id), {
      post_logout_redirect_uri: `${url}/`,
      ...(hint && own?.tokens.id_token && { id_token_hint: own.tokens.id_token }),
    })
    return address.href
  }

  async function answer(incoming: IncomingMessage, response: ServerResponse) {
    const url = `http://${incoming.headers.host}`
    const id = incoming.headers.host?.startsWith('localhost') ? 'shop' : 'books'
    const { pathname, searchParams } = new URL(incoming.url ?? '/', url)
    if (pathname === '/login') return lead(response, await login(id, url, searchParams))
    if (pathname === '/callback') {
      const posted = incoming.method === 'POST' ? new URLSearchParams(await text(incoming)) : searchParams
      return lead(response, await callback(id, url, posted))
    }
    if (pathname === '/logout') return lead(response, await logout(id, url, !searchParams.has('plain')))
    const refused = searchParams.get('refused')
    return page(response, refused ?? (logins.has(id) ? '已登录' : '未登录'))
  }

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error) => page(response, `失败 ${error.code ?? error}`))
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const { port } = server.address() as AddressInfo
  const partyAt = (id: string, host: string): RelyingParty => {
    const last = () => {
      const own = logins.get(id)
      if (!own) throw new Error(`no user is signed in to ${id}`)
      return own
    }
    return {
      url: `http://${host}:${port}`,
      last,
      refresh: async () => await openid.refreshTokenGrant(await configuration(id), last().tokens.refresh_token ?? ''),
      userinfo: async () =>
        await openid.fetchUserInfo(await configuration(id), last().tokens.access_token, openid.skipSubjectCheck),
    }
  }
  return {
    port,
    shop: partyAt('shop', 'localhost'),
    books: partyAt('books', '127.0.0.1'),
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
