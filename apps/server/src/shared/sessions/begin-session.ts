import type { FactorRequired } from '@hufu/contract/factors'
import type { LoginMethod } from '@hufu/contract/site'
import { AppError } from '../../platform/app-error.ts'
import { newSecret, sha256 } from '../../platform/crypto/hash.ts'
import type { UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { recordSecurity } from '../audit/security-log.ts'
import { queueLoginNotice } from '../notices/login-notice.ts'
import type { Site } from '../sites/sites.ts'
import { browserOf } from './browser.ts'
import { insertFactorTicket, readSecondStep } from './factor-tickets.store.ts'
import { ipRegionText } from './ip-region.ts'
import type { SessionToken } from './session-cookie.ts'
import { insertConsent, insertSession, type ProvedAt } from './sessions.store.ts'

/** The browser that signs in. */
export interface Visitor {
  address: string
  bucket: string
  userAgent: string
  browserHash: Buffer
  agreements?: string | undefined
}

export interface BegunSession extends SessionToken {
  /** Whether the user has agreed to something new with it: after the commit the cached user must be invalidated. */
  agreed: boolean
}

/** The account is protected: no session, but a ticket to the second step. */
export interface SecondStep {
  owed: FactorRequired
}

/** What an identity proof led to; `admit` makes a sign-in of it. */
export interface Entered {
  entered: BegunSession | SecondStep
  created: boolean
}

export interface SignedIn {
  token: BegunSession
  created: boolean
}

/** After the commit, which has spent the first proof and stored the ticket: the session, or FACTOR_REQUIRED. */
export function admit({ entered, created }: Entered): SignedIn {
  if ('owed' in entered) throw new AppError('FACTOR_REQUIRED', entered.owed)
  return { token: entered, created }
}

export function refuseDisabled({ status }: { status: 'active' | 'disabled' }): void {
  if (status === 'disabled') throw new AppError('ACCOUNT_DISABLED')
}

export type Method = LoginMethod | 'scan' | 'passkey'

/** Extras of some sign-in methods. */
export interface Beginning {
  /** A secret that the browser can be given again. */
  secret?: string
  /** The hash of the scan request that it answers. */
  scanHash?: Buffer
  /** Whether signing in was an identity check as well. */
  checked?: boolean
  /** WeChat asked the user. */
  asked?: boolean
  /** When a second factor was proved. At this moment, it is an identity check as well. */
  factor?: ProvedAt
}

/**
 * Begins a session, in the transaction of the identity proof. The gate of protected accounts: without a proved factor
 * the answer is a ticket instead.
 */
export async function beginSession(
  tx: Db,
  site: Site,
  userId: UserId,
  visitor: Visitor,
  method: Method,
  { secret = newSecret(), scanHash, checked = false, asked = false, factor }: Beginning = {},
): Promise<BegunSession | SecondStep> {
  const { browser, os, device } = browserOf(visitor.userAgent)
  const region = ipRegionText(visitor.address)
  const { address, browserHash } = visitor
  const trusts = trustsBrowsers(site)
  const begun = await insertSession(tx, site.id, userId, {
    secretHash: sha256(secret),
    method,
    browser,
    os,
    device,
    address,
    region,
    browserHash,
    scanHash,
    checked,
    asked,
    factor,
    trusts,
  })
  // Erased in between; a retry finds it gone.
  if (!begun) throw new AppError('SERVICE_BUSY')
  const { id: sessionId, strange } = begun
  if (!sessionId) return { owed: await askSecond(tx, site, userId, visitor, method) }
  // Only documents in force now can be agreed to.
  const version = site.config.agreements?.version
  const agrees = version !== undefined && visitor.agreements === version
  const agreed = agrees && (await insertConsent(tx, site.id, userId, version))
  await recordSecurity(tx, site.id, {
    event: 'login',
    userId,
    address,
    detail: { method, browser, os, region, session: sessionId },
  })
  if (strange) await queueLoginNotice(tx, site, userId, sessionId)
  return { userId, sessionId, secret, agreed }
}

/** Whether customers may trust a browser. Switched off, trust that was given before doesn't count. */
export const trustsBrowsers = ({ config }: Site): boolean => config.protection?.trustDevices !== false

async function askSecond(
  tx: Db,
  site: Site,
  userId: UserId,
  { browserHash, agreements }: Visitor,
  method: Method,
): Promise<FactorRequired> {
  const ticket = newSecret()
  await insertFactorTicket(tx, site.id, sha256(ticket), { userId, browserHash, method, agreements })
  return { ticket, ...(await readSecondStep(tx, site, userId, trustsBrowsers(site))) }
}
