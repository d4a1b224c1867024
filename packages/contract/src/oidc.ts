import { z } from 'zod'
import { endpoint, type Limit, nothing } from './endpoint.ts'

/**
 * A route of the OpenID Connect provider. Path, methods and answers are those of the standards, so it isn't a POST with
 * JSON; the client or the token in it decides who may call.
 */
export interface OidcRoute {
  path: `/${string}`
  methods: readonly ('GET' | 'POST' | 'OPTIONS')[]
  summary: string
  access: 'oidc'
  limit: Limit
}

const route = (path: OidcRoute['path'], methods: OidcRoute['methods'], summary: string, calls: number): OidcRoute => ({
  path,
  methods,
  summary,
  access: 'oidc',
  limit: { calls, seconds: 60 },
})

/** Browsers, one user each. */
const visits = 600
/** Servers: one address may stand for a whole site. */
const calls = 60_000

export const oidcPaths = {
  authorize: '/oidc/authorize',
  resume: '/oidc/authorize/:uid',
  token: '/oidc/token',
  deviceAuthorization: '/oidc/device',
  userinfo: '/oidc/userinfo',
  jwks: '/oidc/jwks',
  introspect: '/oidc/introspect',
  revoke: '/oidc/revoke',
  logout: '/oidc/logout',
  discovery: '/.well-known/openid-configuration',
  metadata: '/.well-known/oauth-authorization-server',
} as const

export const oidcRoutes = [
  route(oidcPaths.discovery, ['GET', 'OPTIONS'], "The provider's metadata (OpenID Connect Discovery).", calls),
  route(oidcPaths.metadata, ['GET', 'OPTIONS'], "The provider's metadata (RFC 8414).", calls),
  route(oidcPaths.jwks, ['GET', 'OPTIONS'], 'The public keys of ID tokens.', calls),
  route(oidcPaths.authorize, ['GET', 'POST'], 'Begins a sign-in: authorization code with PKCE.', visits),
  route(oidcPaths.resume, ['GET'], 'Continues a sign-in after the page that it led to.', visits),
  route(oidcPaths.token, ['POST', 'OPTIONS'], 'Exchanges a code, a refresh token or the code of a device.', calls),
  route(
    oidcPaths.deviceAuthorization,
    ['POST', 'OPTIONS'],
    'A device without a keyboard asks for a sign-in (RFC 8628).',
    visits,
  ),
  route(oidcPaths.userinfo, ['GET', 'POST', 'OPTIONS'], 'What the access token allows to know of its user.', calls),
  route(oidcPaths.introspect, ['POST', 'OPTIONS'], "Whether a client's token is still good (RFC 7662).", calls),
  route(oidcPaths.revoke, ['POST', 'OPTIONS'], 'Ends a token and all of its grant (RFC 7009).', calls),
  route(oidcPaths.logout, ['GET', 'POST'], 'Signs out at the request of a client (RP-initiated logout).', visits),
] as const satisfies readonly OidcRoute[]

/** How a device asks for its tokens. */
export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

/** What a client may learn, beyond who the user is to it. */
export const oidcScopes = ['profile', 'phone', 'email', 'offline_access'] as const
export type OidcScope = (typeof oidcScopes)[number]

export const clientKinds = ['web', 'spa', 'native', 'machine'] as const
export type ClientKind = (typeof clientKinds)[number]

/** A client as users see it. */
export const shownClient = z
  .object({
    id: z.string(),
    name: z.string(),
    /** The address of a picture. */
    logo: z.string().nullable(),
    /** The host that it returns to. */
    host: z.string().nullable(),
    firstParty: z.boolean(),
    /** The address of its privacy policy. */
    privacy: z.string().nullable(),
  })
  .meta({ id: 'ShownClient' })
export type ShownClient = z.output<typeof shownClient>

const interactionId = z.string().min(1).max(128)

const askedScope = z
  .object({
    name: z.enum(oidcScopes),
    /** Why the client wants it, in its own words. */
    reason: z.string().nullable(),
    /** Without it the client can't be used. */
    required: z.boolean(),
  })
  .meta({ id: 'AskedScope' })
export type AskedScope = z.output<typeof askedScope>

export const readInteraction = endpoint({
  path: '/api/oidc/interaction',
  summary: 'Which client asked for a sign-in, and what it waits for.',
  access: 'public',
  limit: { calls: 600, seconds: 60 },
  errors: ['AUTHORIZE_EXPIRED'],
  input: z.object({ id: interactionId }),
  output: z.object({
    client: shownClient,
    /**
     * `login`: signing in, again where there is a session. `account`: choosing the account. `factor`: proving the second
     * factor in the session. `consent`: agreeing to the scopes. `none`: nothing, as of now.
     */
    step: z.enum(['login', 'account', 'factor', 'consent', 'none']),
    /** What the client believes the user signs in with. */
    hint: z.string().nullable(),
    /** What the client asks for and hasn't been given yet. */
    scopes: z.array(askedScope),
    /** The path that continues the sign-in. */
    resume: z.string(),
  }),
})
export type Interaction = z.output<typeof readInteraction.output>

export const answerInteraction = endpoint({
  path: '/api/oidc/answer',
  summary: 'Answers a client that waits for consent or for the choice of the account.',
  access: 'user',
  limit: { calls: 120, seconds: 60 },
  errors: ['AUTHORIZE_EXPIRED'],
  input: z.object({
    id: interactionId,
    accept: z.boolean(),
    /** The scopes agreed to; required ones are among them. */
    scopes: z.array(z.enum(oidcScopes)).max(oidcScopes.length).optional(),
  }),
  output: z.object({ resume: z.string() }),
})

/** As it was typed or scanned: letters of either case, with or without the hyphen. */
const userCode = z.string().min(1).max(32)

export const readDevice = endpoint({
  path: '/api/oidc/device/read',
  summary: 'Which device waits for a sign-in under a user code, for the user who is to approve it.',
  access: 'user',
  limit: { calls: 120, seconds: 60 },
  errors: ['DEVICE_CODE_WRONG', 'LOGIN_REQUEST_DONE'],
  input: z.object({ userCode }),
  output: z.object({
    client: shownClient,
    /** As the device shows it. */
    userCode: z.string(),
    /** What the device calls itself, and where it is; null where that is unknown or the client's server asked. */
    browser: z.string().nullable(),
    os: z.string().nullable(),
    ip: z.string().nullable(),
    region: z.string().nullable(),
    /** Relative to the user; null where it is unknown. */
    network: z.enum(['same', 'elsewhere']).nullable(),
    /** Epoch milliseconds. */
    time: z.number(),
    /** The client demands a second factor, and the account has none. */
    needsProtection: z.boolean(),
    /** What a third-party client will learn. */
    scopes: z.array(askedScope),
  }),
})
export type DeviceAsked = z.output<typeof readDevice.output>

export const answerDevice = endpoint({
  path: '/api/oidc/device/answer',
  summary: 'Approves or rejects the sign-in of a device, once.',
  access: 'user',
  limit: { calls: 120, seconds: 60 },
  errors: ['DEVICE_CODE_WRONG', 'FACTOR_NONE', 'LOGIN_REQUEST_DONE', 'TWO_FACTOR_REQUIRED'],
  input: z.object({
    userCode,
    accept: z.boolean(),
    /** The scopes agreed to, of a third-party client; required ones are among them. */
    scopes: z.array(z.enum(oidcScopes)).max(oidcScopes.length).optional(),
  }),
  output: z.object({}),
})

export const readLogout = endpoint({
  path: '/api/oidc/logout/read',
  summary: 'Which client asks to sign out.',
  access: 'user',
  limit: { calls: 120, seconds: 60 },
  errors: ['AUTHORIZE_EXPIRED'],
  input: z.object({ id: interactionId }),
  output: z.object({ client: shownClient.nullable() }),
})

export const confirmLogout = endpoint({
  path: '/api/oidc/logout/confirm',
  summary: 'Signs out at the request of a client, after the user agreed.',
  access: 'user',
  limit: { calls: 120, seconds: 60 },
  errors: ['AUTHORIZE_EXPIRED'],
  input: z.object({ id: interactionId }),
  /** Where the browser goes next: to the client, or to our own page. */
  output: z.object({ location: z.string() }),
})

/** A client that a user has signed in to. */
export const authorization = z
  .object({
    client: shownClient,
    scopes: z.array(z.enum(oidcScopes)),
    /** Epoch milliseconds. */
    since: z.number(),
    lastUsed: z.number(),
  })
  .meta({ id: 'Authorization' })

export const listAuthorizations = endpoint({
  path: '/api/user/authorization/list',
  summary: 'The clients that the user has signed in to, most recently used first.',
  access: 'user',
  limit: { calls: 120, seconds: 60 },
  input: nothing,
  output: z.object({ data: z.array(authorization) }),
})
export type Authorization = z.output<typeof listAuthorizations.output>['data'][number]

export const revokeAuthorization = endpoint({
  path: '/api/user/authorization/revoke',
  summary: "Ends a client's tokens and the consent given to it, and signs it out.",
  access: 'user',
  limit: { calls: 60, seconds: 60 },
  errors: ['NOT_FOUND'],
  input: z.object({ client: z.string().min(1).max(64) }),
  output: z.object({}),
})
