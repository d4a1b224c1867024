import { browserOf } from '../../core/browser.ts'
import type { Db } from '../../core/db.ts'
import { newSecret, sha256 } from '../../core/hash.ts'
import type { UserId } from '../../core/ids.ts'
import { placeText } from '../../core/place.ts'
import { recordSecurity } from '../../core/security-log.ts'
import type { SessionToken } from '../../core/session-cookie.ts'
import { insertSession } from '../../core/sessions.store.ts'
import type { Site } from '../../core/sites.ts'
import { insertConsent } from '../users/users.store.ts'

/** The browser that signs in. */
export interface Visitor {
  address: string
  bucket: string
  userAgent: string
  browserHash: Buffer
  agreements?: string | undefined
}

export interface SignedIn {
  token: SessionToken
  created: boolean
}

/** Begins a session, within the transaction of whatever proved the person. */
export async function beginSession(
  tx: Db,
  site: Site,
  userId: UserId,
  visitor: Visitor,
  method: string,
): Promise<SessionToken> {
  const secret = newSecret()
  const { browser, os, device } = browserOf(visitor.userAgent)
  const region = placeText(visitor.address)
  const { address, browserHash } = visitor
  const sessionId = await insertSession(tx, site.id, userId, {
    secretHash: sha256(secret),
    method,
    browser,
    os,
    device,
    address,
    region,
    browserHash,
  })
  // Only what is in force now can be agreed to.
  const version = site.config.agreements?.version
  if (version !== undefined && visitor.agreements === version) await insertConsent(tx, site.id, userId, version)
  await recordSecurity(tx, site.id, {
    event: 'login',
    userId,
    address,
    detail: { method, browser, os, region, session: sessionId },
  })
  return { userId, sessionId, secret }
}
