import * as openid from 'openid-client'
import type { Client } from '../src/shared/sites/client-gate.ts'
import type { TestApp, TestBrowser, TestSite } from './test-app.ts'

export const back = 'https://shop.example.com/callback'
export const bye = 'https://shop.example.com/bye'
export const secretOf = (id: string) => `the-secret-of-the-client-${id}`

const scopes: Client['scopes'] = [{ name: 'profile' }, { name: 'phone' }, { name: 'email' }, { name: 'offline_access' }]

/** One client of each kind, under the names that tests use. */
export const oidcClients: Client[] = [
  {
    id: 'shop',
    name: '青屿商城',
    kind: 'web',
    firstParty: true,
    secret: secretOf('shop'),
    returns: [back],
    logoutReturns: [bye],
    scopes,
  },
  {
    id: 'books',
    name: '海风书店',
    kind: 'web',
    secret: secretOf('books'),
    returns: ['https://books.example.com/callback'],
    logoutReturns: ['https://books.example.com/bye'],
    scopes: [{ name: 'profile', required: true, reason: '用于显示您的身份' }, ...(scopes ?? []).slice(1)],
  },
  { id: 'page', name: '单页应用', kind: 'spa', firstParty: true, returns: ['https://page.example.com/'], scopes },
  { id: 'app', name: '手机应用', kind: 'native', returns: ['http://127.0.0.1/callback'], scopes },
  { id: 'worker', name: '后台程序', kind: 'machine', secret: secretOf('worker'), introspection: true },
]

/** What a client's server sends goes to the product without a network. */
export const fetchFrom =
  ({ app }: Pick<TestApp, 'app'>): typeof fetch =>
  async (input, init) => {
    const { host, pathname, search } = new URL(String(input instanceof Request ? input.url : input))
    const reply = await app.inject({
      method: (init?.method ?? 'GET') as 'GET',
      url: pathname + search,
      headers: { ...Object.fromEntries(new Headers(init?.headers)), host },
      ...(init?.body != null && { payload: String(init.body) }),
    })
    const headers = Object.entries(reply.headers).map(([name, value]) => [name, String(value)] as [string, string])
    const empty = [204, 303].includes(reply.statusCode)
    return new Response(empty ? null : reply.body, { status: reply.statusCode, headers })
  }

/** A client's server, which knows the provider by its discovery document alone. */
export const relyingParty = (t: TestApp, site: TestSite, id: string): Promise<openid.Configuration> =>
  openid.discovery(
    new URL(site.origin),
    id,
    undefined,
    id === 'page' || id === 'app' ? openid.None() : openid.ClientSecretBasic(secretOf(id)),
    { [openid.customFetch]: fetchFrom(t) as never },
  )

export interface Started {
  /** Where the browser was led to. */
  to: URL
  /** Continues at the address where the sign-in resumes. */
  checks: openid.AuthorizationCodeGrantChecks
}

/** Sends a browser to the provider, as a client does. */
export async function authorize(
  config: openid.Configuration,
  browser: Pick<TestBrowser, 'go'>,
  params: Record<string, string> = {},
): Promise<Started> {
  const verifier = openid.randomPKCECodeVerifier()
  const [state, nonce] = [openid.randomState(), openid.randomNonce()]
  const address = openid.buildAuthorizationUrl(config, {
    redirect_uri: back,
    scope: 'openid profile',
    state,
    nonce,
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...params,
  })
  const to = new URL(await browser.go(address.href, { 'sec-fetch-site': 'cross-site' }), address.origin)
  return { to, checks: { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce } }
}

/** The id of the sign-in that a page is shown for. */
export const interactionIn = ({ pathname }: URL): string =>
  decodeURIComponent(decodeURIComponent(pathname)).split('/').at(-1) ?? ''

export const resume = async (browser: Pick<TestBrowser, 'go'>, to: URL): Promise<URL> =>
  new URL(await browser.go(`/oidc/authorize/${interactionIn(to)}`), to.origin)
