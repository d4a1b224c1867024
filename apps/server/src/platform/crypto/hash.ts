import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Keys } from './secrets.ts'

export const sha256 = (text: string | Buffer): Buffer => hash('sha256', text, 'buffer')

/** Text of 256 random bits, for every kind of secret. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

/** Compares in constant time. */
export const sameBytes = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b)

/** An HMAC under the current key, for one use alone. */
export function keyedHash(keys: Keys, use: string, text: string, keyId: string = keys.current): Buffer {
  const key = keys.byId.get(keyId)
  if (!key) throw new Error(`key ${keyId} isn't in HUFU_KEYS`)
  return createHmac('sha256', createHmac('sha256', key).update(use).digest()).update(text).digest()
}

/** Whether any of the keys made this hash: one that was made before a rotation still counts. */
export const matchesKeyedHash = (keys: Keys, use: string, text: string, expected: Buffer): boolean =>
  [...keys.byId.keys()].some((keyId) => sameBytes(keyedHash(keys, use, text, keyId), expected))
