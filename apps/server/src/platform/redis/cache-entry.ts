import { keyedHash, sameBytes } from '../crypto/hash.ts'
import type { Keys } from '../crypto/secrets.ts'

const use = 'cache'
const form = /^(\d+)\.([\w-]{43})\./

const macOf = (keys: Keys, keyId: string, name: string, body: string): Buffer =>
  keyedHash(keys, use, `${name}\n${body}`, keyId)

/** Signs a text for the cache under this key name alone: Redis is not trusted to keep it as it was written. */
export const signEntry = (keys: Keys, name: string, body: string): string =>
  `${keys.current}.${macOf(keys, keys.current, name, body).toString('base64url')}.${body}`

/**
 * The signed text, by any of the keys. Undefined for a key that this process does not have: during a rotation others
 * sign with a newer one.
 */
export function verifyEntry(keys: Keys, name: string, text: string): string | 'forged' | undefined {
  const [head, keyId = '', mac = ''] = form.exec(text) ?? []
  if (!head) return 'forged'
  if (!keys.byId.has(keyId)) return undefined
  const body = text.slice(head.length)
  return sameBytes(Buffer.from(mac, 'base64url'), macOf(keys, keyId, name, body)) ? body : 'forged'
}
