import type { SecondWay } from '@hufu/contract/two-factor'
import { sql } from 'kysely'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'

/** An identity proof besides a texted code. */
export type SecondKind = Exclude<SecondWay, 'mobile'>

/**
 * A kind that the account has; while it is fresh, until when, in epoch milliseconds. Only version 0.1.0 marked one as
 * fresh.
 */
export interface OwnKind {
  kind: SecondKind
  freshUntil: number | null
}

/** Past every cache: which identity proofs an account has, and which of them count already. */
export async function listKinds(db: Db, siteId: SiteId, userId: UserId): Promise<OwnKind[]> {
  const { rows } = await sql<OwnKind>`
    SELECT k.kind, CASE WHEN k.until > clock_timestamp()
      THEN ceil(extract(epoch FROM k.until) * 1000)::float8 END AS "freshUntil"
    FROM users u CROSS JOIN LATERAL (VALUES
      (1, 'password', u.password_fresh_until, EXISTS (SELECT FROM credential c
        WHERE c.site_id = u.site_id AND c.user_id = u.id AND c.kind = 'password')),
      (2, 'email', u.email_fresh_until, u.email IS NOT NULL),
      (3, 'wechat', u.wechat_fresh_until, u.wechat_open_id IS NOT NULL)) AS k (place, kind, until, there)
    WHERE u.site_id = ${siteId} AND u.id = ${userId} AND k.there
    ORDER BY k.place`.execute(db)
  return rows
}
