import { randomBytes } from 'node:crypto'
import { keyedHash, matchesKeyedHash, sha256 } from '../../platform/crypto/hash.ts'
import type { Keys } from '../../platform/crypto/secrets.ts'
import type { SiteId } from '../../platform/ids.ts'

/**
 * What a challenge is for, and who may answer it: the browser that asked for it (the hash of its mark), or the session.
 */
export interface ChallengeUse {
  siteId: SiteId
  purpose: 'login' | 'stepUp' | 'enrol'
  holder: Buffer | string
}

/** A valid challenge; its hash is spent by the transaction of what it proves. */
export interface Challenge {
  hash: Buffer
  expires: number
}

export const challengeMinutes = 5

const nonceLength = 16
const timeLength = 6
const signedLength = nonceLength + timeLength

/** The signature covers the nonce and the expiry too, so nothing has to be stored before an answer arrives. */
function signedText({ siteId, purpose, holder }: ChallengeUse, signed: Buffer): string {
  const owner = typeof holder === 'string' ? holder : holder.toString('base64url')
  return [siteId, purpose, owner, signed.toString('base64url')].join(' ')
}

export function newChallenge(keys: Keys, use: ChallengeUse, now: number): string {
  const signed = randomBytes(signedLength)
  signed.writeUIntBE(Math.ceil(now) + challengeMinutes * 60_000, nonceLength, timeLength)
  return Buffer.concat([signed, keyedHash(keys, 'passkey', signedText(use, signed))]).toString('base64url')
}

/** Undefined where it is not ours, for another use or expired. */
export function readChallenge(keys: Keys, use: ChallengeUse, challenge: string, now: number): Challenge | undefined {
  const bytes = Buffer.from(challenge, 'base64url')
  // One spelling alone, or the same challenge would count once for each.
  if (bytes.length !== signedLength + 32 || bytes.toString('base64url') !== challenge) return undefined
  const signed = bytes.subarray(0, signedLength)
  if (!matchesKeyedHash(keys, 'passkey', signedText(use, signed), bytes.subarray(signedLength))) return undefined
  const expires = signed.readUIntBE(nonceLength, timeLength)
  return expires > now ? { hash: sha256(bytes), expires } : undefined
}
