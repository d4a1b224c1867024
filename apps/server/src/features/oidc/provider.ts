import type { IncomingMessage } from 'node:http'
import { machineScopes } from '@hufu/contract/machine-scopes'
import { deviceGrant, oidcPaths } from '@hufu/contract/oidc'
import { pages } from '@hufu/contract/pages'
import {
  type Adapter,
  type Client,
  type ClientMetadata,
  type Configuration,
  errors,
  type KoaContextWithOIDC,
  Provider,
} from 'oidc-provider'
import type { UserId } from '../../platform/ids.ts'
import { createUnitOfWork, type UnitOfWork } from '../../platform/postgres/unit-of-work.ts'
import type { Deps } from '../../shared/deps.ts'
import { machineOf } from '../../shared/machine/machine.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { findAccount } from './account.ts'
import { scopeClaims, signInClaims } from './claims.ts'
import { clientMetadata, findOidcClient, matchesSecret } from './client-metadata.ts'
import { DeviceCodeAdapter } from './device/device-code-adapter.ts'
import { deviceSeconds } from './device/device-limits.ts'
import { loadGrant } from './grants.ts'
import { stepOf } from './interaction/interaction-step.ts'
import { ItemAdapter } from './item-adapter.ts'
import type { SigningKey } from './keys.ts'
import { leadToLogout } from './logout.service.ts'
import { limitMachineScopes, noteSecret, provedCredential } from './machine-tokens.ts'
import { readConsent } from './oidc.store.ts'
import { interactionPrompts } from './policy.ts'
import { aroundRequest } from './provider-middleware.ts'
import { rememberMore } from './remembered.ts'
import { SessionAdapter } from './session-adapter.ts'
import { acrValues } from './sign-in-level.ts'
import { subjectOf } from './subject.ts'

/** What the provider needs to know of a request besides what is in it. */
export interface RequestFacts {
  id: string
  address: string
  /** The mark of the browser; undefined where the request isn't a navigation. */
  browser: string | undefined
  /** The cookies that sign a browser out. */
  signedOut: readonly string[]
}

export interface SiteProvider {
  provider: Provider
  /** Answers a raw request. */
  answer: ReturnType<Provider['callback']>
  facts: WeakMap<IncomingMessage, RequestFacts>
  unit: UnitOfWork
}

export interface ProviderContext {
  deps: Deps
  site: Site
  unit: UnitOfWork
  facts: SiteProvider['facts']
}

const minutes = 60
const days = 86_400

const lifetimes = {
  AuthorizationCode: minutes,
  DeviceCode: deviceSeconds,
  AccessToken: 10 * minutes,
  ClientCredentials: 10 * minutes,
  IdToken: 10 * minutes,
  Interaction: 10 * minutes,
  RefreshToken: 30 * days,
  Grant: 180 * days,
  Session: days,
}

/** Enough of a user agent for display. */
const mostAgent = 512

/** The library gives this grant to pairwise clients only with keys at an address of theirs; our ids need none. */
function grantTypeAllowed(this: Client, type: string): boolean {
  return type === deviceGrant ? this.device === true : (this.grantTypes ?? []).includes(type)
}

const resumePath = (uid: string) => oidcPaths.resume.replace(':uid', uid)

/** The page that a request waits at. */
function pageOf(
  { oidc }: KoaContextWithOIDC,
  { uid, prompt }: { uid: string; prompt: { name: string; reasons: string[] } },
) {
  const step = stepOf(prompt, Boolean(oidc.session?.accountId))
  return step === 'login' ? `${pages.login}/${encodeURIComponent(resumePath(uid))}` : pages.consent.replace(':id', uid)
}

/** A single-page client calls from the origins that it returns to; it sends no cookie. */
const allowsOrigin = (_ctx: KoaContextWithOIDC, origin: string | undefined, client: Client): boolean =>
  client.tokenEndpointAuthMethod === 'none' &&
  client.applicationType === 'web' &&
  (client.redirectUris ?? []).some((address) => new URL(address).origin === origin)

function adapters(context: ProviderContext): (name: string) => Adapter | ClientAdapter {
  const { deps, site, unit, facts } = context
  const credential = () => provedCredential(site)
  const isMachine = (token: string, { clientId, scope, credential: mark }: Record<string, unknown>) =>
    machineOf(deps.config.keys, site, token, {
      clientId: String(clientId),
      scope: typeof scope === 'string' ? scope : null,
      credential: typeof mark === 'string' ? mark : null,
    }) !== undefined
  const browser = () => Provider.ctx && facts.get(Provider.ctx.req)?.browser
  return (name) => {
    if (name === 'Session') return new SessionAdapter(deps, site, unit)
    if (name === 'Client') return new ClientAdapter(site)
    if (name === 'DeviceCode') return new DeviceCodeAdapter({ siteId: site.id, unit, redis: deps.redis })
    return new ItemAdapter(name, { siteId: site.id, unit, clock: deps.clock, browser, credential, isMachine })
  }
}

/** Clients are read from the site's config. */
class ClientAdapter {
  readonly #site: Site

  constructor(site: Site) {
    this.#site = site
  }

  async find(id: string): Promise<ClientMetadata | undefined> {
    const client = findOidcClient(this.#site, id)
    return client && clientMetadata(this.#site, client)
  }
}

function configurationOf(context: ProviderContext, keys: SigningKey[], salt: Buffer, cookie: string): Configuration {
  const { site, unit } = context
  const isActive = async (id: string) => (await unit.read((db) => findAccount(db, site, id))) !== undefined
  return {
    adapter: adapters(context) as Configuration['adapter'],
    jwks: { keys },
    // The provider's session is ours. The first two of these cookies are removed from every answer.
    cookies: {
      names: { session: cookie, interaction: 'hufu-interaction', resume: 'hufu-resume' },
      long: { signed: false, httpOnly: true, sameSite: 'lax' },
      short: { signed: false, httpOnly: true, sameSite: 'lax' },
    },
    routes: {
      authorization: oidcPaths.authorize,
      token: oidcPaths.token,
      device_authorization: oidcPaths.deviceAuthorization,
      // Never one of the library's pages: this is ours, and its route here is not reached.
      code_verification: pages.deviceLogin,
      userinfo: oidcPaths.userinfo,
      jwks: oidcPaths.jwks,
      introspection: oidcPaths.introspect,
      revocation: oidcPaths.revoke,
      end_session: oidcPaths.logout,
    },
    responseTypes: ['code'],
    // OpenID Connect Core: the address of return is part of every request and of every exchange of a code.
    allowOmittingSingleRegisteredRedirectUri: false,
    scopes: ['openid', 'offline_access', ...machineScopes],
    claims: { openid: signInClaims, ...scopeClaims, sid: null },
    acrValues: [...acrValues],
    subjectTypes: ['public', 'pairwise'],
    pairwiseIdentifier: async (_ctx, userId, client) =>
      subjectOf(salt, { id: client.clientId, firstParty: false }, userId as UserId),
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
    enabledJWA: {
      idTokenSigningAlgValues: ['RS256'],
      clientAuthSigningAlgValues: ['RS256', 'PS256', 'ES256', 'Ed25519', 'EdDSA'],
    },
    pkce: { required: (_ctx, client) => client.pkceOptional !== true },
    extraClientMetadata: { properties: ['firstParty', 'pkceOptional', 'introspection', 'device'] },
    // It names a client of devices alone, which has no address; nothing is read from there.
    sectorIdentifierUriValidate: () => false,
    clientBasedCORS: allowsOrigin,
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: { enabled: false },
      claimsParameter: { enabled: true },
      userinfo: { enabled: true },
      revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
      clientCredentials: { enabled: true },
      deviceFlow: {
        enabled: true,
        charset: 'base-20',
        mask: '****-****',
        deviceInfo: ({ ip, headers }) => ({ ip, ua: (headers['user-agent'] ?? '').slice(0, mostAgent) }),
      },
      introspection: {
        enabled: true,
        allowedPolicy: async (_ctx, client, token) =>
          (token.clientId === client.clientId || client.introspection === true) &&
          findOidcClient(site, String(token.clientId)) !== undefined &&
          (!('accountId' in token) || (await isActive(token.accountId))),
      },
      // Announced and part of ID tokens; the notices are jobs of our own.
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx) => leadToLogout(context, ctx),
        postLogoutSuccessSource: (ctx) => ctx.redirect(pages.loggedOut),
      },
    },
    interactions: {
      policy: interactionPrompts((userId, clientId) =>
        unit.read((db) => readConsent(db, site.id, userId as UserId, clientId)),
      ),
      url: pageOf,
    },
    findAccount: (_ctx, id) => unit.read((db) => findAccount(db, site, id)),
    loadExistingGrant: (ctx) => loadGrant(context, ctx),
    rotateRefreshToken: true,
    issueRefreshToken: async (_ctx, client, code) =>
      client.grantTypeAllowed('refresh_token') && (client.firstParty === true || code.scopes.has('offline_access')),
    expiresWithSession: async (_ctx, code) => !code.scopes.has('offline_access'),
    ttl: lifetimes,
    renderError: (ctx, out, error) => {
      const id = context.facts.get(ctx.req)?.id ?? ''
      const code = error instanceof errors.SessionNotFound ? 'session_not_found' : out.error
      ctx.status = 303
      ctx.redirect(`${pages.authorizeError.replace(':code', encodeURIComponent(code))}?id=${encodeURIComponent(id)}`)
    },
  }
}

/** The provider of a site, as the site is now. `cookie` is the name of our session cookie. */
export function createProvider(
  deps: Deps,
  site: Site,
  secrets: { keys: SigningKey[]; salt: Buffer },
  cookie: string,
): SiteProvider {
  const context: ProviderContext = { deps, site, unit: createUnitOfWork(deps.db), facts: new WeakMap() }
  const provider = new Provider(site.origin, configurationOf(context, secrets.keys, secrets.salt, cookie))
  provider.proxy = true
  // Two secrets count while one replaces the other.
  provider.Client.prototype.compareClientSecret = async function (this: Client, actual: string) {
    const client = findOidcClient(site, this.clientId)
    const matches = client !== undefined && matchesSecret(deps.config.keys, site, client, actual)
    if (matches) noteSecret(actual)
    return matches
  }
  // A client that knows the session can end it without a further question.
  provider.Client.prototype.includeSid = () => true
  limitMachineScopes(provider, site)
  provider.Client.prototype.grantTypeAllowed = grantTypeAllowed
  rememberMore(provider)
  aroundRequest(provider, context, cookie)
  return { provider, answer: provider.callback(), facts: context.facts, unit: context.unit }
}
