import { sql } from 'kysely'
import type { SessionId, SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { letsIn } from '../../shared/sessions/session-list.store.ts'

export interface SignIn {
  id: SessionId
  live: boolean
  disowned: boolean
}

/** The outcome of a user's sessions; deleted ones are left out. */
export async function readSignIns(db: Db, siteId: SiteId, userId: UserId, ids: string[]): Promise<SignIn[]> {
  const { rows } = await sql<SignIn>`
    SELECT s.id, ${letsIn} AS live, s.end_reason IS NOT DISTINCT FROM 'disowned' AS disowned
    FROM session s LEFT JOIN session_access a ON a.site_id = s.site_id AND a.user_id = s.user_id AND a.session_id = s.id
    WHERE s.site_id = ${siteId} AND s.user_id = ${userId} AND s.id = ANY(${ids}::uuid[])`.execute(db)
  return rows
}

export interface SignInDetails {
  time: number
  browser: string
  os: string
  ip: string
  region: string | null
  live: boolean
}

/** One session, as the receiver of a notice sees it. */
export async function readSignIn(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  id: string,
): Promise<SignInDetails | undefined> {
  const { rows } = await sql<SignInDetails>`
    SELECT floor(extract(epoch FROM s.created_at) * 1000)::float8 AS time, s.browser, s.os, host(s.address) AS ip, s.region,
      ${letsIn} AS live
    FROM session s LEFT JOIN session_access a ON a.site_id = s.site_id AND a.user_id = s.user_id AND a.session_id = s.id
    WHERE s.site_id = ${siteId} AND s.user_id = ${userId} AND s.id = ${id}`.execute(db)
  return rows[0]
}

/**
 * Marks a session as disowned, ended or not, under the user's lock; undefined where it was before, or doesn't exist.
 */
export async function disownSession(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  id: string,
): Promise<{ browserHash: Buffer | null } | undefined> {
  const { rows } = await sql<{ browserHash: Buffer | null }>`
    UPDATE session SET end_reason = 'disowned', ended_at = coalesce(ended_at, now())
    WHERE site_id = ${siteId} AND user_id = ${userId} AND id = ${id} AND end_reason IS DISTINCT FROM 'disowned'
    RETURNING browser_hash AS "browserHash"`.execute(db)
  return rows[0]
}

/** Whether a session lives in that browser. */
export async function livesIn(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  id: SessionId,
  browserHash: Buffer,
): Promise<boolean> {
  const { rows } = await sql`SELECT FROM session WHERE site_id = ${siteId} AND user_id = ${userId} AND id = ${id}
    AND browser_hash = ${browserHash}`.execute(db)
  return rows.length === 1
}

/** Ends every other session of a browser; answers which. */
export async function endSessionsIn(db: Db, siteId: SiteId, userId: UserId, browserHash: Buffer): Promise<SessionId[]> {
  const { rows } = await sql<{ id: SessionId }>`
    UPDATE session SET end_reason = 'disowned', ended_at = now()
    WHERE site_id = ${siteId} AND user_id = ${userId} AND browser_hash = ${browserHash} AND ended_at IS NULL
    RETURNING id`.execute(db)
  return rows.map(({ id }) => id)
}
