import type { SiteConfig } from '@hufu/contract/site'
import { newSecret, sameBytes, sha256 } from '../../core/hash.ts'
import { type Keys, seal, unseal } from '../../core/secrets.ts'
import { secretPaths, secretPlace } from '../../core/site-secrets.ts'
import type { Site } from '../../core/sites.ts'

type Client = NonNullable<SiteConfig['clients']>[number]

export interface Credentials {
  client: string
  secret: string
}

export type FindClient = (site: Site, credentials: Credentials) => Client | undefined

/** Finds another site's server by its id and secret. One that is unknown or has no secret costs what a wrong secret does. */
export function clientGate(keys: Keys): FindClient {
  const nobody = { place: 'nobody', sealed: seal(keys, 'nobody', newSecret()) }
  return (site, { client: id, secret }) => {
    const client = site.config.clients?.find((each) => each.id === id && each.secret)
    const { place, sealed } = client?.secret
      ? { place: secretPlace(site.id, secretPaths.client(id)), sealed: client.secret }
      : nobody
    return sameBytes(sha256(secret), sha256(unseal(keys, place, sealed))) ? client : undefined
  }
}
