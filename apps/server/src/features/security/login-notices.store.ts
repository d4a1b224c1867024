import { sql } from 'kysely'
import type { SessionId, SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Contacts } from '../../shared/notices/notice-channels.ts'
import { accountStatus } from '../../shared/users/account-status.ts'

/** The sign-in of the notice, and how its user can be reached. */
export interface Addressee extends Contacts {
  time: number
  browser: string
  os: string
  ip: string
  region: string | null
}

/** Undefined for a user who can't sign in any more. */
export async function readAddressee(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  sessionId: SessionId,
  appId: string | undefined,
): Promise<Addressee | undefined> {
  const { rows } = await sql<Addressee>`
    SELECT u.email, u.mobile, u.mobile_prefix AS "mobilePrefix", s.browser, s.os, host(s.address) AS ip, s.region,
      (extract(epoch FROM s.created_at) * 1000)::float8 AS time,
      (SELECT i.value FROM user_identity i WHERE i.site_id = u.site_id AND i.user_id = u.id
        AND i.kind = ${`wechat.openid:${appId ?? ''}`} LIMIT 1) AS openid
    FROM session s JOIN users u ON u.site_id = s.site_id AND u.id = s.user_id
    WHERE s.site_id = ${siteId} AND s.user_id = ${userId} AND s.id = ${sessionId} AND ${accountStatus} = 'active'`.execute(
    db,
  )
  return rows[0]
}

/** How many sign-in notices a user got within the last day, under the user's lock. */
export async function countNoticesToday(db: Db, siteId: SiteId, userId: UserId, linkDays: number): Promise<number> {
  const { rows } = await sql<{ notified: number }>`SELECT count(*)::int AS notified FROM notice_link
    WHERE site_id = ${siteId} AND user_id = ${userId} AND purpose = 'disown'
      AND expires_at > clock_timestamp() + make_interval(days => ${linkDays - 1})`.execute(db)
  return rows[0]?.notified ?? 0
}
