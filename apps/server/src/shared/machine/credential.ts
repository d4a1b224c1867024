import { createHmac, createPublicKey, hash, type JsonWebKey } from 'node:crypto'
import { sameBytes } from '../../platform/crypto/hash.ts'
import { type Keys, unseal } from '../../platform/crypto/secrets.ts'
import { type Client, heldSecrets } from '../sites/client-gate.ts'
import type { Site } from '../sites/sites.ts'

/** What a client proves itself by, as a text that is the same as long as it is the same credential. */
export const secretCredential = (secret: string): string => `secret:${secret}`

/** The public members alone, as Node writes them: spelling and order in the config don't matter. */
export function keyCredential(key: object): string {
  const { kty, crv, x, y, n, e } = createPublicKey({ key: key as JsonWebKey, format: 'jwk' }).export({ format: 'jwk' })
  return `key:${hash('sha256', JSON.stringify([kty, crv, x, y, n, e]), 'base64url')}`
}

/** The credentials that count at the moment: keys replace secrets. */
export function credentialsOf(keys: Keys, site: Site, client: Client): string[] {
  if (client.publicKeys?.length) return client.publicKeys.map(keyCredential)
  return heldSecrets(site, client).map(({ context, sealed }) => secretCredential(unseal(keys, context, sealed)))
}

/**
 * Ties a token to the credential that fetched it. Keyed by the token, of which only a hash is stored, so a copy of the
 * database gives no way to guess secrets.
 */
export const credentialMark = (token: string, credential: string): string =>
  createHmac('sha256', token).update(credential).digest('base64url')

/** Whether one of the credentials that count now made this mark. */
export const isMarkedBy = (token: string, mark: string, credentials: string[]): boolean =>
  credentials
    .map((credential) => sameBytes(Buffer.from(credentialMark(token, credential)), Buffer.from(mark)))
    .includes(true)
