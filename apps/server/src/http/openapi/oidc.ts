import { type OidcRoute, oidcPaths, oidcRoutes } from '@hufu/contract/oidc'
import { longAddress } from './failures.ts'
import { refTo, type Schema } from './schemas.ts'

/** What a route takes and answers, besides what all routes of the provider have in common. */
interface Shape {
  /** The name of the operation; that of a second method gets the method after it. */
  name: string
  /** Of a GET, in the query; of a POST, in a form. */
  query?: Record<string, Schema>
  form?: string
  security?: Record<string, string[]>[]
  /** The schema of the answer; without one the answer is a redirect. */
  answer?: string
  /** The type of the answer, where it isn't plain JSON. */
  type?: string
  /** An answer without a body. */
  empty?: true
  example?: object
  /** Beside 400: a client, a token or a site that is refused. */
  refused?: readonly number[]
}

const text: Schema = { type: 'string' }
const clients = [{ clientSecret: [] }, {}]

const authorizeQuery: Record<string, Schema> = {
  client_id: text,
  redirect_uri: text,
  response_type: { const: 'code' },
  scope: { type: 'string', examples: ['openid profile'] },
  state: text,
  nonce: text,
  code_challenge: { type: 'string', pattern: '^[\\w-]{43}$' },
  code_challenge_method: { const: 'S256' },
  response_mode: { type: 'string', enum: ['query', 'form_post'] },
  prompt: { type: 'string', examples: ['login', 'none', 'consent', 'select_account'] },
  max_age: { type: 'integer', minimum: 0 },
  acr_values: text,
  login_hint: text,
  id_token_hint: text,
  claims: { type: 'string', description: 'A JSON object.' },
  ui_locales: text,
}

const logoutQuery: Record<string, Schema> = {
  id_token_hint: text,
  client_id: text,
  post_logout_redirect_uri: text,
  state: text,
}

const issuer = 'https://account.example.com'
const metadata = {
  answer: 'ProviderMetadata',
  example: {
    issuer,
    authorization_endpoint: issuer + oidcPaths.authorize,
    token_endpoint: issuer + oidcPaths.token,
    jwks_uri: issuer + oidcPaths.jwks,
  },
} as const

const shapes: Record<(typeof oidcPaths)[keyof typeof oidcPaths], Shape> = {
  [oidcPaths.discovery]: { name: 'readOpenIdConfiguration', ...metadata },
  [oidcPaths.metadata]: { name: 'readAuthorizationServer', ...metadata },
  [oidcPaths.jwks]: {
    name: 'readSigningKeys',
    answer: 'JsonWebKeySet',
    type: 'application/jwk-set+json',
    example: { keys: [{ kty: 'RSA', use: 'sig', alg: 'RS256', kid: '1', n: 'sXch…', e: 'AQAB' }] },
  },
  [oidcPaths.authorize]: { name: 'authorize', query: authorizeQuery },
  [oidcPaths.resume]: { name: 'resumeAuthorize' },
  [oidcPaths.token]: {
    name: 'exchangeToken',
    form: 'TokenRequest',
    security: clients,
    answer: 'TokenResponse',
    example: { access_token: 'kX2v…', token_type: 'Bearer', expires_in: 600, scope: 'openid' },
    refused: [401],
  },
  [oidcPaths.deviceAuthorization]: {
    name: 'authorizeDevice',
    form: 'DeviceRequest',
    security: clients,
    answer: 'DeviceResponse',
    example: {
      device_code: 'f3Kz…',
      user_code: 'WDJB-MJHT',
      verification_uri: `${issuer}/device`,
      verification_uri_complete: `${issuer}/device/WDJB-MJHT`,
      expires_in: 600,
      interval: 5,
    },
    refused: [401],
  },
  [oidcPaths.userinfo]: {
    name: 'readClaims',
    security: [{ accessToken: [] }, { openId: ['openid'] }],
    answer: 'Claims',
    example: { sub: '1b4e28ba-2fa1-41d2-883f-0016d3cca427', nickname: '青屿' },
    refused: [401, 403],
  },
  [oidcPaths.introspect]: {
    name: 'introspectToken',
    form: 'TokenReference',
    security: clients,
    answer: 'Introspection',
    example: { active: false },
    refused: [401],
  },
  [oidcPaths.revoke]: { name: 'revokeToken', form: 'TokenReference', security: clients, empty: true, refused: [401] },
  [oidcPaths.logout]: { name: 'requestLogout', query: logoutQuery },
}

const location = { headers: { Location: { required: true, schema: text } } }

const refusal = (description: string): Schema => ({
  description,
  content: { 'application/json': { schema: refTo('OAuthError'), example: { error: 'invalid_request' } } },
})

const refusals: Record<number, string> = {
  401: 'The client or the token is refused.',
  403: 'The token does not allow this.',
}

function answersOf({ answer, type = 'application/json', empty, example, refused = [] }: Shape): Record<string, Schema> {
  const busy = {
    429: refusal('Too many requests.'),
    500: refusal('An error.'),
    503: refusal('Busy, or the site is disabled.'),
  }
  if (answer)
    return {
      200: { description: 'Done.', content: { [type]: { schema: refTo(answer), example } } },
      ...answersOfServers(refused),
      ...busy,
    }
  if (empty) return { 200: { description: 'Done. The body is empty.' }, ...answersOfServers(refused), ...busy }
  return {
    302: { description: 'To the client.', ...location },
    303: { description: 'To a page of the site, which signs in, asks or shows the error.', ...location },
    404: notFound,
    ...longAddress,
  }
}

const notFound: Schema = { description: 'The site has no client of OpenID Connect.' }

const answersOfServers = (refused: readonly number[]): Record<string, Schema> => ({
  400: refusal('The request is refused.'),
  ...Object.fromEntries(refused.map((status) => [status, refusal(refusals[status] ?? 'Refused.')])),
  404: notFound,
  413: refusal('The form is too large.'),
  ...longAddress,
})

const parameters = (query: Record<string, Schema>): object[] =>
  Object.entries(query).map(([name, schema]) => ({ name, in: 'query', required: false, schema }))

const formOf = (schema: Schema, required = true) => ({
  requestBody: { required, content: { 'application/x-www-form-urlencoded': { schema } } },
})

function inputOf({ path }: OidcRoute, method: string, { form, query }: Shape): object {
  const inPath = path.includes(':uid') ? [{ name: 'uid', in: 'path', required: true, schema: text }] : []
  if (form) return formOf(refTo(form))
  if (method === 'POST' && query) return formOf({ type: 'object', properties: query })
  const all = [...inPath, ...(query ? parameters(query) : [])]
  return all.length > 0 ? { parameters: all } : {}
}

const onGet = (methods: OidcRoute['methods']) => methods.some((method) => method === 'GET')

function operation(route: OidcRoute, method: string): object {
  const shape = shapes[route.path as keyof typeof shapes]
  const second = method === 'POST' && onGet(route.methods)
  return {
    operationId: shape.name + (second ? 'ByPost' : ''),
    summary: route.summary,
    description: `${route.summary}\n\nAnswers 404 where the site has no client of OpenID Connect. At most ${route.limit.calls} calls in ${route.limit.seconds} s from one IP address.`,
    tags: ['oidc'],
    security: shape.security ?? [],
    ...inputOf(route, method, shape),
    responses: answersOf(shape),
    'x-access': route.access,
    'x-limit': route.limit,
  }
}

/** The routes of the OpenID Connect provider. Preflight requests of browsers are not listed. */
export const oidcPathItems: Record<string, Record<string, { tags: string[] }>> = Object.fromEntries(
  oidcRoutes.map((route) => [
    route.path.replace(/:(\w+)/g, '{$1}'),
    Object.fromEntries(
      route.methods
        .filter((method) => method !== 'OPTIONS')
        .map((method) => [method.toLowerCase(), operation(route, method) as { tags: string[] }]),
    ),
  ]),
)
