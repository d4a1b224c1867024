import type { LoginMethod } from '@hufu/contract/site'
import { AppError } from '../../platform/app-error.ts'
import { newSecret, sha256 } from '../../platform/crypto/hash.ts'
import type { UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { recordSecurity } from '../audit/security-log.ts'
import { queueLoginNotice } from '../notices/login-notice.ts'
import type { Site } from '../sites/sites.ts'
import { browserOf } from './browser.ts'
import { ipRegionText } from './ip-region.ts'
import type { SessionToken } from './session-cookie.ts'
import { insertConsent, insertSession } from './sessions.store.ts'

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

export interface SignedIn {
  token: BegunSession
  created: boolean
}

export function refuseDisabled({ status }: { status: 'active' | 'disabled' }): void {
  if (status === 'disabled') throw new AppError('ACCOUNT_DISABLED')
}

export type Method = LoginMethod | 'scan'

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
}

/** Begins a session, in the transaction of the identity proof. */
export async function beginSession(
  tx: Db,
  site: Site,
  userId: UserId,
  visitor: Visitor,
  method: Method,
  { secret = newSecret(), scanHash, checked = false, asked = false }: Beginning = {},
): Promise<BegunSession> {
  const { browser, os, device } = browserOf(visitor.userAgent)
  const region = ipRegionText(visitor.address)
  const { address, browserHash } = visitor
  const { id: sessionId, strange } = await insertSession(tx, site.id, userId, {
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
  })
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
