import type { ClientKind, ShownClient } from '@hufu/contract/oidc'
import type { Client } from './client-gate.ts'
import type { Site } from './sites.ts'

/** A client that signs users in through OpenID Connect; the others know the legacy flow alone. */
export type OidcClient = Client & { kind: ClientKind }

export const isOidcClient = (client: Client): client is OidcClient => client.kind !== undefined

/** It can't keep a secret: what it runs is in the user's hands. */
export const isPublicKind = (kind: ClientKind | undefined): boolean => kind === 'spa' || kind === 'native'

/** Its users agree to what it learns, and it knows them by ids of its own: the legacy flow, which has neither, isn't for it. */
export const isThirdParty = (client: Client): boolean => isOidcClient(client) && client.firstParty !== true

export const hasOidcClients = (site: Site): boolean => site.config.clients?.some(isOidcClient) ?? false

/** A client as users see it. */
export const shownClient = (_site: Site, client: Client): ShownClient => ({
  id: client.id,
  name: client.name,
  logo: client.logo ?? null,
  host: hostOf(client),
  firstParty: client.firstParty === true,
  privacy: client.privacy ?? null,
})

/** The host that it returns to; an app with a scheme of its own has none. */
function hostOf({ returns = [], sources = [] }: Client): string | null {
  const address = [...returns, ...sources].find((each) => /^https?:/.test(each))
  return address === undefined ? null : new URL(address).host
}
