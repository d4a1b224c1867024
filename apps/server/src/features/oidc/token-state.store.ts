import { type RawBuilder, sql } from 'kysely'
import { sha256 } from '../../platform/crypto/hash.ts'
import type { SessionId, SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { letsIn } from '../../shared/sessions/session-list.store.ts'
import type { UserState } from '../../shared/sessions/sessions.ts'
import { accountStatus } from '../../shared/users/account-status.ts'

export interface OidcSession {
  method: string
  /** Epoch seconds. */
  authTime: number
  factor: boolean
  logins: { clientId: string; sid: string; grantId: string; offline: boolean }[]
}

/** What clients may learn of a user, and whether the account can be used. */
export type OidcUser = Pick<
  UserState,
  'id' | 'status' | 'avatarTime' | 'nickname' | 'wechatNickname' | 'mobilePrefix' | 'mobile' | 'email'
>

const userRow = (siteId: SiteId, userId: UserId): RawBuilder<OidcUser> => sql`
  SELECT u.id, ${accountStatus} AS status, u.nickname, u.wechat_nickname AS "wechatNickname",
    u.mobile_prefix AS "mobilePrefix", u.mobile, u.email,
    (SELECT floor(extract(epoch FROM b.created_at) * 1000)::float8 FROM blob b
      WHERE b.site_id = u.site_id AND b.id = coalesce(u.avatar_id, u.wechat_avatar_id)) AS "avatarTime"
  FROM users u WHERE u.site_id = ${siteId} AND u.id = ${userId}`

/** A live session of an active user, and the clients that it has signed in to; past every cache. */
const sessionRow = (siteId: SiteId, userId: UserId, sessionId: SessionId | undefined): RawBuilder<OidcSession> => sql`
  SELECT s.method, floor(extract(epoch FROM s.created_at))::float8 AS "authTime", s.factor_at IS NOT NULL AS factor,
    (SELECT coalesce(jsonb_agg(jsonb_build_object('clientId', l.client_id, 'sid', l.sid, 'grantId', l.grant_id,
        'offline', l.offline)), '[]')
      FROM oidc_login l WHERE l.site_id = s.site_id AND l.user_id = s.user_id AND l.session_id = s.id) AS logins
  FROM session s
  JOIN users u ON u.site_id = s.site_id AND u.id = s.user_id
  LEFT JOIN session_access a ON a.site_id = s.site_id AND a.user_id = s.user_id AND a.session_id = s.id
  WHERE s.site_id = ${siteId} AND s.user_id = ${userId} AND s.id = ${sessionId ?? null} AND ${letsIn}
    AND ${accountStatus} = 'active'`

export async function readOidcUser(db: Db, siteId: SiteId, userId: UserId): Promise<OidcUser | undefined> {
  const { rows } = await userRow(siteId, userId).execute(db)
  return rows[0]
}

export async function readOidcSession(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  sessionId: SessionId,
): Promise<OidcSession | undefined> {
  const { rows } = await sessionRow(siteId, userId, sessionId).execute(db)
  return rows[0]
}

export interface TokenState {
  grant: Record<string, unknown> | null
  user: OidcUser | null
  session: OidcSession | null
}

/** All that decides whether a token counts, in one statement. */
export async function readTokenState(
  db: Db,
  siteId: SiteId,
  { grantId, userId, sessionId }: { grantId: string; userId: UserId; sessionId: SessionId | undefined },
): Promise<TokenState> {
  const { rows } = await sql<TokenState>`
    SELECT (SELECT g.payload FROM oidc_item g WHERE g.site_id = ${siteId} AND g.kind = 'Grant'
        AND g.hash = ${sha256(grantId)} AND g.expires_at > clock_timestamp()) AS "grant",
      (SELECT row_to_json(found) FROM (${userRow(siteId, userId)}) found) AS "user",
      (SELECT row_to_json(found) FROM (${sessionRow(siteId, userId, sessionId)}) found) AS session`.execute(db)
  return rows[0] ?? { grant: null, user: null, session: null }
}
