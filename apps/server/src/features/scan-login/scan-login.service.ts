import { randomBytes } from 'node:crypto'
import type { ScanAsked } from '@hufu/contract/scan-login'
import { scanStatus } from '@hufu/contract/scan-login-rules'
import { AppError } from '../../platform/app-error.ts'
import { keyedHash, newSecret, sameBytes, sha256 } from '../../platform/crypto/hash.ts'
import type { SessionId, UserId } from '../../platform/ids.ts'
import { recordSecurity } from '../../shared/audit/security-log.ts'
import type { Deps } from '../../shared/deps.ts'
import { beginSession, refuseDisabled, type Visitor } from '../../shared/sessions/begin-session.ts'
import { browserOf } from '../../shared/sessions/browser.ts'
import { differentIpRegions, ipRegionText } from '../../shared/sessions/ip-region.ts'
import type { SessionToken } from '../../shared/sessions/session-cookie.ts'
import { requireMethod } from '../../shared/sites/login-options.ts'
import { siteName } from '../../shared/sites/site-name.ts'
import type { Site } from '../../shared/sites/sites.ts'
import type { LoginStep } from '../../shared/usage/usage-batch.ts'
import {
  advanceRequest,
  findScanSession,
  holdApproving,
  holdUser,
  insertRequest,
  readDecided,
  readRequest,
  redisTime,
  type ScanRequest,
} from './scan-login.store.ts'
import { isApproved, isMade, markApproved, markMade, secretHashOf } from './scan-marks.ts'

export interface WaitingBrowser {
  address: string
  userAgent: string
}

/** Enough of a user agent for display. */
const agentMost = 512

/** Creates a request; the secret is for the waiting browser alone and never part of the QR code. */
export async function createRequest(
  deps: Pick<Deps, 'redis' | 'config' | 'usage'>,
  site: Site,
  { address, userAgent: whole }: WaitingBrowser,
): Promise<{ request: ScanRequest; secret: string }> {
  requireMethod(site, 'wechat')
  const id = randomBytes(16).toString('base64url')
  const secret = newSecret()
  const request = { id, time: await redisTime(deps.redis), ip: address }
  const secretHash = secretHashOf(request, secret)
  const userAgent = whole.slice(0, agentMost)
  const made = markMade(deps.config.keys, { siteId: site.id, request, userAgent, secretHash })
  await insertRequest(deps.redis, site.id, { ...request, secretHash, userAgent, made })
  deps.usage.countStep(site.id, 'scanShown')
  return { request, secret }
}

/**
 * Answers with the state of a request, to the browser that created it; for all others it doesn't exist. Synchronous
 * where possible: pages poll so often that another promise would be measurable.
 */
export function answerWaiting<Answer>(
  deps: Pick<Deps, 'redisReads'>,
  site: Site,
  request: ScanRequest,
  secret: string,
  answer: (status: number, scanner: UserId) => Answer | Promise<Answer>,
): Promise<Answer> {
  return readRequest(deps.redisReads, site.id, request.id).then(([secretHash, status, scanner]) => {
    const proved = secretHash && sameBytes(Buffer.from(secretHash, 'base64'), secretHashOf(request, secret))
    if (!proved) throw new AppError('LOGIN_REQUEST_EXPIRED')
    return answer(Number(status), scanner as UserId)
  })
}

/** How long the answer may be repeated to a browser that lost it. */
export const repeatSeconds = 10

/**
 * The session of an approved request, begun once. The secret is derived, so that a browser which lost the answer can be
 * given the same one for a moment more. An approval ends with its session: signing out everywhere must not leave a
 * waiting browser that signs in later.
 */
export async function beginScanSession(
  deps: Pick<Deps, 'db' | 'redis' | 'config' | 'clock' | 'usage'>,
  site: Site,
  waiting: Waiting,
  visitor: Visitor,
): Promise<SessionToken> {
  const { secret, approver } = waiting
  const { id } = waiting.request
  const sessionSecret = keyedHash(deps.config.keys, 'scan-session', `${id} ${secret}`).toString('base64url')
  const scanHash = sha256(id)
  const approvedIn = await approvedSession(deps, site, waiting)
  const { token, repeated } = await deps.db.transaction().execute(async (tx) => {
    const user = await holdUser(tx, site.id, approver)
    if (!user) throw new AppError('LOGIN_REQUEST_EXPIRED')
    refuseDisabled(user)
    const approving = await holdApproving(tx, site.id, approver, approvedIn)
    if (!approving) throw new AppError('LOGIN_REQUEST_EXPIRED')
    const secretHash = sha256(sessionSecret)
    const begun = await findScanSession(tx, site.id, approver, { scanHash, secretHash, repeatSeconds })
    if (begun && !begun.repeatable) throw new AppError('LOGIN_REQUEST_EXPIRED')
    // With a factor as old as the approver's: a scan proves none anew.
    const extras = { secret: sessionSecret, scanHash, ...(approving.factorAt && { factor: approving.factorAt }) }
    const token = begun
      ? { userId: approver, sessionId: begun.id, secret: sessionSecret }
      : await beginSession(tx, site, approver, visitor, 'scan', extras)
    // Protected only since the approval.
    if ('owed' in token) throw new AppError('LOGIN_REQUEST_EXPIRED')
    return { token, repeated: begun !== undefined }
  })
  if (!repeated) deps.usage.countAuthorized(site.id, approver)
  return token
}

interface Waiting {
  request: ScanRequest
  /** What the waiting browser has sent. */
  secret: string
  approver: UserId
}

/** The session in which this user approved this very browser; the record in Redis counts only with valid marks. */
async function approvedSession(
  { redis, config, clock }: Pick<Deps, 'redis' | 'config' | 'clock'>,
  site: Site,
  { request, secret, approver: userId }: Waiting,
): Promise<SessionId> {
  const decided = await readDecided(redis, site.id, request.id)
  if (!decided) throw new AppError('LOGIN_REQUEST_EXPIRED')
  const { session: sessionId, approval, userAgent, made } = decided
  const about = { siteId: site.id, request }
  const genuine =
    isMade(config.keys, { ...about, userAgent, secretHash: secretHashOf(request, secret) }, made) &&
    isApproved(config.keys, { ...about, userId, sessionId }, approval, clock.now())
  if (!genuine) throw new AppError('LOGIN_REQUEST_EXPIRED')
  return sessionId
}

const refusals = {
  unknown: 'LOGIN_REQUEST_EXPIRED',
  taken: 'LOGIN_REQUEST_TAKEN',
  done: 'LOGIN_REQUEST_DONE',
} as const

/** Events for the security log; reading a request leaves none. */
const events: Record<number, string> = {
  [scanStatus.approved]: 'scan.approved',
  [scanStatus.rejected]: 'scan.rejected',
}

/** Statistics of it. */
const steps: Record<number, LoginStep> = {
  [scanStatus.scanned]: 'scanScanned',
  [scanStatus.approved]: 'scanApproved',
}

export interface Approver {
  userId: UserId
  sessionId: SessionId
  address: string
  /** Whether the account is protected and no factor was proved in this session. */
  owesFactor: boolean
  /** The household of an address. */
  bucketOf(address: string): string
}

/** Advances the request and returns the browser that created it; a forged request counts as expired. */
async function advance(
  { redis, config: { keys }, clock }: Pick<Deps, 'redis' | 'config' | 'clock'>,
  { id: siteId }: Site,
  request: ScanRequest & { status: number },
  { userId, sessionId }: Approver,
): Promise<{ userAgent: string; moved: boolean }> {
  const { status } = request
  const approval =
    status === scanStatus.approved ? markApproved(keys, { siteId, request, userId, sessionId }, clock.now()) : ''
  const step = { userId, sessionId, status, approval }
  const [outcome, moved, ...record] = await advanceRequest(redis, siteId, request, step)
  if (outcome !== 'stands') throw new AppError(refusals[outcome])
  const [userAgent, secretHash, made] = record
  if (userAgent == null || !secretHash || !made) throw new AppError('LOGIN_REQUEST_EXPIRED')
  if (!isMade(keys, { siteId, request, userAgent, secretHash: Buffer.from(secretHash, 'base64') }, made))
    throw new AppError('LOGIN_REQUEST_EXPIRED')
  return { userAgent, moved: moved === 1 }
}

/** Marks a request as scanned, approves or rejects it, and answers what the user has to decide about. */
export async function processRequest(
  deps: Pick<Deps, 'db' | 'redis' | 'config' | 'clock' | 'usage'>,
  site: Site,
  request: ScanRequest & { status: number },
  approver: Approver,
): Promise<ScanAsked> {
  const { status } = request
  // The waiting browser signs in without a second step, so the approver must have taken it.
  if (status === scanStatus.approved && approver.owesFactor) throw new AppError('TWO_FACTOR_REQUIRED', { factor: true })
  const { userAgent, moved } = await advance(deps, site, request, approver)
  const step = steps[status]
  if (moved && step) deps.usage.countStep(site.id, step)
  const { browser, os, device } = browserOf(userAgent)
  const region = ipRegionText(request.ip) ?? null
  const event = events[status]
  // A repeated decision is logged again rather than never: the answer may have been lost because this write failed.
  if (event) {
    const { userId, address } = approver
    await recordSecurity(deps.db, site.id, { event, userId, address, detail: { browser, os, ip: request.ip, region } })
  }
  const { ip, time } = request
  const { host } = new URL(site.origin)
  return { site: siteName(site.config), host, browser, os, device, ip, region, time, network: networkOf(ip, approver) }
}

function networkOf(ip: string, { address, bucketOf }: Approver): ScanAsked['network'] {
  if (bucketOf(ip) === bucketOf(address)) return 'same'
  return differentIpRegions(ip, address) ? 'elsewhere' : null
}
