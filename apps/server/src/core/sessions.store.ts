import { sql } from 'kysely'
import type { Db } from './db.ts'
import { newSessionId, type SessionId, type SiteId, type UserId } from './ids.ts'
import type { SessionState, UserState } from './sessions.ts'

const idleDays = 30
const absoluteDays = 180

export async function readSession(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  id: SessionId,
): Promise<SessionState | undefined> {
  const { rows } = await sql<SessionState>`
    SELECT s.id, encode(s.secret_hash, 'base64') AS "secretHash",
      (extract(epoch FROM s.created_at) * 1000)::float8 AS "createdAt",
      (extract(epoch FROM coalesce(a.last_access, s.created_at)) * 1000)::float8 AS "lastAccess",
      (extract(epoch FROM s.two_factor_at) * 1000)::float8 AS "twoFactorAt",
      s.ended_at IS NOT NULL AS ended,
      (extract(epoch FROM least(
        coalesce(a.last_access, s.created_at) + make_interval(days => ${idleDays}),
        s.created_at + make_interval(days => ${absoluteDays})) - clock_timestamp()) * 1000)::float8 AS left
    FROM session s
    LEFT JOIN session_access a ON a.site_id = s.site_id AND a.user_id = s.user_id AND a.session_id = s.id
    WHERE s.site_id = ${siteId} AND s.user_id = ${userId} AND s.id = ${id}`.execute(db)
  return rows[0]
}

export async function readUser(db: Db, siteId: SiteId, userId: UserId): Promise<UserState | undefined> {
  const { rows } = await sql<UserState>`
    SELECT u.id, u.status, u.avatar_id IS NOT NULL AS avatar, u.nickname, u.wechat_nickname AS "wechatNickname",
      u.wechat_open_id AS "wechatOpenId", u.mobile_prefix AS "mobilePrefix", u.mobile, u.username, u.email, u.preference,
      EXISTS (SELECT FROM credential c WHERE c.site_id = u.site_id AND c.user_id = u.id AND c.kind = 'password') AS password,
      (SELECT (extract(epoch FROM a.last_access) * 1000)::float8 FROM user_access a
        WHERE a.site_id = u.site_id AND a.user_id = u.id) AS "lastAccess",
      (SELECT coalesce(jsonb_object_agg(area, actions), '{}') FROM (
        SELECT p.area, jsonb_agg(p.action ORDER BY p.action) AS actions FROM permission p
        WHERE p.site_id = u.site_id AND p.user_id = u.id GROUP BY p.area) areas) AS permission,
      (SELECT c.version FROM consent c WHERE c.site_id = u.site_id AND c.user_id = u.id AND c.document = 'agreements'
        ORDER BY c.at DESC LIMIT 1) AS agreements
    FROM users u WHERE u.site_id = ${siteId} AND u.id = ${userId}`.execute(db)
  return rows[0]
}

export async function touchAccess(db: Db, siteId: SiteId, userId: UserId, sessionId: SessionId): Promise<void> {
  await sql`
    WITH person AS (
      INSERT INTO user_access (site_id, user_id) VALUES (${siteId}, ${userId})
      ON CONFLICT (site_id, user_id) DO UPDATE SET last_access = now()
    )
    INSERT INTO session_access (site_id, user_id, session_id) VALUES (${siteId}, ${userId}, ${sessionId})
    ON CONFLICT (site_id, user_id, session_id) DO UPDATE SET last_access = now()`.execute(db)
}

export interface NewSession {
  secretHash: Buffer
  method: string
  browser: string
  device: string
  os: string
  address: string
  region: string | undefined
  browserHash: Buffer
}

/** A session and the browser it lives in; the first time an account sees a browser is remembered. */
export async function insertSession(db: Db, siteId: SiteId, userId: UserId, session: NewSession): Promise<SessionId> {
  const id = newSessionId()
  await db
    .insertInto('session')
    .values({
      site_id: siteId,
      user_id: userId,
      id,
      secret_hash: session.secretHash,
      method: session.method,
      browser: session.browser,
      device: session.device,
      os: session.os,
      address: session.address,
      region: session.region ?? null,
      browser_hash: session.browserHash,
    })
    .execute()
  await db
    .insertInto('known_browser')
    .values({ site_id: siteId, user_id: userId, cookie_hash: session.browserHash })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await touchAccess(db, siteId, userId, id)
  return id
}

/** False when it had ended already. */
export async function endSession(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  id: SessionId,
  reason: string,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('session')
    .set({ ended_at: sql`now()`, end_reason: reason })
    .where('site_id', '=', siteId)
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}
