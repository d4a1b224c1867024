import type { SiteConfig } from '@hufu/contract/site'
import { newSecret, sameBytes, sha256 } from '../../platform/crypto/hash.ts'
import { type Keys, seal, unseal } from '../../platform/crypto/secrets.ts'
import { sealContext, secretPaths } from './site-secrets.ts'
import type { Site } from './sites.ts'

/** A client's server. */
export type Client = NonNullable<SiteConfig['clients']>[number]

type FindClient = (site: Site, sent: unknown) => Client | undefined

interface HeldSecret {
  context: string
  sealed: string
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/**
 * Authenticates a client's server by its id and secret. An unknown one, or one without a secret, takes as long as a
 * wrong secret.
 */
export function clientGate(keys: Keys): FindClient {
  const decoy = { context: 'decoy', sealed: seal(keys, 'decoy', newSecret()) }
  return (site, sent) => {
    const { client: id, secret } = (sent ?? {}) as Record<string, unknown>
    const client = site.config.clients?.find((each) => each.id === id)
    const held = client ? heldSecrets(site, client) : []
    return matchesAny(keys, [...held, decoy, decoy].slice(0, 2), text(secret)) ? client : undefined
  }
}

/** The secrets that count: the present one, and the former one while it is being replaced. */
export function heldSecrets(site: Site, { id, secret, previousSecret }: Client): HeldSecret[] {
  const held = [
    { path: secretPaths.client(id), sealed: secret },
    { path: secretPaths.previousOfClient(id), sealed: previousSecret },
  ]
  return held.flatMap(({ path, sealed }) => (sealed ? [{ context: sealContext(site.id, path), sealed }] : []))
}

/** Compares with all of them in constant time, also after the first that is right. */
export function matchesAny(keys: Keys, held: HeldSecret[], sent: string): boolean {
  const actual = sha256(sent)
  return held.map(({ context, sealed }) => sameBytes(actual, sha256(unseal(keys, context, sealed)))).includes(true)
}
