import { AppError } from './app-error.ts'
import type { Db } from './db.ts'
import type { SiteId } from './ids.ts'
import { type HeldSession, lookAtSession } from './sessions.store.ts'
import type { Caller } from './sessions.ts'

/** The caller's identity check, by the database: a copy in the cache may be older than the end of the session. */
export async function requireCheck(tx: Db, siteId: SiteId, { userId, session }: Caller): Promise<HeldSession> {
  const held = await lookAtSession(tx, siteId, userId, session.id)
  if (!held) throw new AppError('SESSION_REMOVED')
  if (!held.checked) throw new AppError('TWO_FACTOR_REQUIRED')
  return held
}
