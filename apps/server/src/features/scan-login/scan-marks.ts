import { scanSeconds } from '@hufu/contract/scan-login-rules'
import { keyedHash, matchesKeyedHash, sha256 } from '../../platform/crypto/hash.ts'
import type { Keys } from '../../platform/crypto/secrets.ts'
import type { SessionId, SiteId, UserId } from '../../platform/ids.ts'
import type { ScanRequest } from './scan-login.store.ts'

/**
 * Redis stores requests and is not trusted with them: keyed marks prove that one was created here, for this browser,
 * and that it was approved.
 */
interface Made {
  siteId: SiteId
  request: ScanRequest
  userAgent: string
  secretHash: Buffer
}

const madeText = ({ siteId, request: { id, time, ip }, userAgent, secretHash }: Made): string =>
  JSON.stringify([siteId, id, time, ip, userAgent, secretHash.toString('base64')])

export const markMade = (keys: Keys, made: Made): string =>
  keyedHash(keys, 'scan-made', madeText(made)).toString('base64')

export const isMade = (keys: Keys, made: Made, mark: string): boolean =>
  matchesKeyedHash(keys, 'scan-made', madeText(made), Buffer.from(mark, 'base64'))

/** Ties the secret to the time and address of its request: one comparison decides over all three. */
export const secretHashOf = ({ time, ip }: ScanRequest, secret: string): Buffer => sha256(`${time} ${ip} ${secret}`)

interface Approved {
  siteId: SiteId
  request: ScanRequest
  userId: UserId
  sessionId: SessionId
}

const approvedText = ({ siteId, request: { id, time, ip }, userId, sessionId }: Approved, until: string): string =>
  JSON.stringify([siteId, id, time, ip, userId, sessionId, until])

/** Valid for as long as a request lives, also where Redis is made to keep it longer. */
export function markApproved(keys: Keys, approved: Approved, now: number): string {
  const until = String(now + scanSeconds * 1000)
  return `${until}.${keyedHash(keys, 'scan-approved', approvedText(approved, until)).toString('base64')}`
}

export function isApproved(keys: Keys, approved: Approved, mark: string, now: number): boolean {
  const [until = '', mac = ''] = mark.split('.')
  const text = approvedText(approved, until)
  return Number(until) > now && matchesKeyedHash(keys, 'scan-approved', text, Buffer.from(mac, 'base64'))
}
