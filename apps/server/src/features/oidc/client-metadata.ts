import type { ClientMetadata, JWKS } from 'oidc-provider'
import { newSecret } from '../../platform/crypto/hash.ts'
import type { Keys } from '../../platform/crypto/secrets.ts'
import { machineScopesOf } from '../../shared/machine/machine.ts'
import { type Client, heldSecrets, matchesAny } from '../../shared/sites/client-gate.ts'
import { isOidcClient, isPublicKind, type OidcClient } from '../../shared/sites/oidc-clients.ts'
import type { Site } from '../../shared/sites/sites.ts'

export const findOidcClient = (site: Site, id: string): OidcClient | undefined =>
  site.config.clients?.filter(isOidcClient).find((client) => client.id === id)

/** Whether it is the client's secret, or its former one while it is being replaced. */
export const matchesSecret = (keys: Keys, site: Site, client: Client, actual: string): boolean =>
  matchesAny(keys, heldSecrets(site, client), actual)

/** The provider demands a secret, but it is compared with ours (`matchesSecret`). Random, so that it opens nothing. */
const placeholder = newSecret()

/** A client as the provider takes it; undefined where it has no `kind`. */
export function clientMetadata(_site: Site, client: Client): ClientMetadata | undefined {
  if (!isOidcClient(client)) return undefined
  return {
    client_id: client.id,
    client_name: client.name,
    id_token_signed_response_alg: 'RS256',
    ...flowOf(client),
    ...authenticationOf(client),
    firstParty: client.firstParty === true,
    pkceOptional: client.kind === 'web' && client.pkceOptional === true,
    device: client.device === true && (client.kind === 'web' || client.kind === 'native'),
    introspection: !isPublicKind(client.kind) && client.introspection === true,
  }
}

function flowOf(client: OidcClient): Partial<ClientMetadata> {
  if (client.kind === 'machine')
    return {
      application_type: 'web',
      grant_types: ['client_credentials'],
      response_types: [],
      redirect_uris: [],
      // Never empty: a client without scopes may ask for any.
      scope: ['openid', ...machineScopesOf(client)].join(' '),
      subject_type: 'public',
    }
  return {
    application_type: client.kind === 'native' ? 'native' : 'web',
    ...waysOf(client),
    post_logout_redirect_uris: client.logoutReturns ?? [],
    scope: ['openid', ...(client.scopes ?? []).map(({ name }) => name)].join(' '),
    subject_type: client.firstParty ? 'public' : 'pairwise',
    ...(client.backchannelUrl && {
      backchannel_logout_uri: client.backchannelUrl,
      backchannel_logout_session_required: true,
    }),
  }
}

/** A client of devices alone needs no address to return to. */
function waysOf({ returns = [], firstParty }: OidcClient): Partial<ClientMetadata> {
  if (returns.length > 0)
    return { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'], redirect_uris: returns }
  return {
    grant_types: ['refresh_token'],
    response_types: [],
    redirect_uris: [],
    // The library wants a host for pairwise ids; ours are made from the client's id.
    ...(!firstParty && { sector_identifier_uri: 'https://devices.invalid/' }),
  }
}

/** The provider takes a secret by Basic and by POST alike, whichever of them is registered. */
function authenticationOf(client: OidcClient): Partial<ClientMetadata> {
  if (isPublicKind(client.kind)) return { token_endpoint_auth_method: 'none' }
  if (client.publicKeys?.length)
    return {
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: client.publicKeys as unknown as JWKS['keys'] },
    }
  return { token_endpoint_auth_method: 'client_secret_basic', client_secret: placeholder }
}
