import type { SiteConfig } from '@hufu/contract/site'
import { newSecret, sameBytes, sha256 } from '../../platform/crypto/hash.ts'
import { type Keys, seal, unseal } from '../../platform/crypto/secrets.ts'
import { sealContext, secretPaths } from './site-secrets.ts'
import type { Site } from './sites.ts'

/** A client's server. */
export type Client = NonNullable<SiteConfig['clients']>[number]

type FindClient = (site: Site, sent: unknown) => Client | undefined

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/**
 * Authenticates a client's server by its id and secret. An unknown one, or one without a secret, takes as long as a
 * wrong secret.
 */
export function clientGate(keys: Keys): FindClient {
  const decoy = { context: 'decoy', sealed: seal(keys, 'decoy', newSecret()) }
  return (site, sent) => {
    const { client: id, secret } = (sent ?? {}) as Record<string, unknown>
    const client = site.config.clients?.find((each) => each.id === id && each.secret)
    const { context, sealed } = client?.secret
      ? { context: sealContext(site.id, secretPaths.client(client.id)), sealed: client.secret }
      : decoy
    return sameBytes(sha256(text(secret)), sha256(unseal(keys, context, sealed))) ? client : undefined
  }
}
