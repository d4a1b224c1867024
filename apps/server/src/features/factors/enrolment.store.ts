import { sql } from 'kysely'
import type { SessionId, SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { SecondKind } from '../../shared/step-up/identity-proofs.store.ts'

const minutes = 15

/** The code replaces any former one. Answers until when it counts. */
export async function putEnrolment(tx: Db, siteId: SiteId, userId: UserId, hash: Buffer): Promise<number> {
  const { rows } = await sql<{ expires: number }>`
    INSERT INTO enrolment_ticket (site_id, user_id, hash, expires_at)
    VALUES (${siteId}, ${userId}, ${hash}, clock_timestamp() + make_interval(mins => ${minutes}))
    ON CONFLICT (site_id, user_id) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at
    RETURNING floor(extract(epoch FROM expires_at) * 1000)::float8 AS expires`.execute(tx)
  return rows[0]?.expires ?? 0
}

export interface Enrolment {
  hash: Buffer
  valid: boolean
}

/** Also one that has expired: it still demands a code. */
export async function readEnrolment(db: Db, siteId: SiteId, userId: UserId): Promise<Enrolment | undefined> {
  const { rows } = await sql<Enrolment>`SELECT hash, expires_at > clock_timestamp() AS valid FROM enrolment_ticket
    WHERE site_id = ${siteId} AND user_id = ${userId}`.execute(db)
  return rows[0]
}

export async function deleteEnrolment(tx: Db, siteId: SiteId, userId: UserId): Promise<void> {
  await sql`DELETE FROM enrolment_ticket WHERE site_id = ${siteId} AND user_id = ${userId}`.execute(tx)
}

/** The kinds of proof that the account got within the last 72 hours and didn't have before. */
export async function listFirstKinds(db: Db, siteId: SiteId, userId: UserId): Promise<SecondKind[]> {
  const { rows } = await sql<{ kind: SecondKind }>`
    SELECT CASE kind WHEN 'wechatBound' THEN 'wechat' ELSE kind END AS kind FROM account_change
    WHERE site_id = ${siteId} AND user_id = ${userId} AND expires_at > clock_timestamp() AND undone_at IS NULL
      AND (kind = 'password' AND former_secret IS NULL OR kind = 'email' AND former->>'email' IS NULL
        OR kind = 'wechatBound' AND former->>'wechatOpenId' IS NULL)`.execute(db)
  return rows.map(({ kind }) => kind)
}

/** When the browser of a session will have been known for 72 hours; null of an account that is newer than that itself. */
export async function settlesAt(db: Db, siteId: SiteId, userId: UserId, id: SessionId): Promise<number | null> {
  const { rows } = await sql<{ until: number }>`
    SELECT ceil(extract(epoch FROM coalesce(k.first_seen, clock_timestamp()) + interval '72 hours') * 1000)::float8 AS until
    FROM users u JOIN session s ON s.site_id = u.site_id AND s.user_id = u.id
    LEFT JOIN known_browser k ON k.site_id = s.site_id AND k.user_id = s.user_id AND k.cookie_hash = s.browser_hash
    WHERE u.site_id = ${siteId} AND u.id = ${userId} AND s.id = ${id}
      AND u.listed_at < clock_timestamp() - interval '72 hours'`.execute(db)
  return rows[0]?.until ?? null
}
