import { createHmac } from 'node:crypto'
import { sameBytes } from './hash.ts'

/* RFC 6238 with what every authenticator app supports: SHA-1, 30 seconds, six digits. */

const stepSeconds = 30
const digits = 6

export const stepAt = (now: number): number => Math.floor(now / 1000 / stepSeconds)

export function totpAt(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 15
  return ((mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits).toString().padStart(digits, '0')
}

/** The step of a code: this one, or the one before or after, as clocks differ. */
export function findStep(secret: Buffer, code: string, now: number): number | undefined {
  const current = stepAt(now)
  const matches = (step: number) => sameBytes(Buffer.from(totpAt(secret, step)), Buffer.from(code))
  // All are compared, whichever matches.
  const found = [current - 1, current, current + 1].filter(matches)
  return found.at(-1)
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648 without padding, as authenticator apps read it. */
export function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}
