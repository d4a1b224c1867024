import { sql } from 'kysely'
import { newSecret, sha256 } from '../../platform/crypto/hash.ts'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'

/** What the link of a notice permits without a session. */
export type LinkPurpose = 'disown' | 'recovery'

export interface NewLink {
  purpose: LinkPurpose
  userId: UserId
  /** The session or recovery of the notice. */
  subject: string
  days: number
}

export interface NoticeLink {
  userId: UserId
  subject: string
}

/**
 * The token of the subject's one link; undefined where it has one already, so that exactly one caller sends the notice.
 */
export async function issueLink(
  db: Db,
  siteId: SiteId,
  { purpose, userId, subject, days }: NewLink,
): Promise<string | undefined> {
  const token = newSecret()
  const { numAffectedRows } = await sql`
    INSERT INTO notice_link (site_id, hash, purpose, user_id, subject, expires_at)
    VALUES (${siteId}, ${sha256(token)}, ${purpose}, ${userId}, ${subject}, clock_timestamp() + make_interval(days => ${days}))
    ON CONFLICT (site_id, purpose, subject) DO NOTHING`.execute(db)
  return numAffectedRows === 1n ? token : undefined
}

/** The subject of a link, while it is valid; reading doesn't spend it. */
export async function readLink(
  db: Db,
  siteId: SiteId,
  purpose: LinkPurpose,
  token: string,
): Promise<NoticeLink | undefined> {
  const { rows } = await sql<NoticeLink>`SELECT user_id AS "userId", subject FROM notice_link
    WHERE site_id = ${siteId} AND hash = ${sha256(token)} AND purpose = ${purpose}
      AND spent_at IS NULL AND expires_at > clock_timestamp()`.execute(db)
  return rows[0]
}

/** Spends it: the subject for the first caller, undefined afterwards. */
export async function spendLink(
  db: Db,
  siteId: SiteId,
  purpose: LinkPurpose,
  token: string,
): Promise<NoticeLink | undefined> {
  const { rows } = await sql<NoticeLink>`UPDATE notice_link SET spent_at = clock_timestamp()
    WHERE site_id = ${siteId} AND hash = ${sha256(token)} AND purpose = ${purpose}
      AND spent_at IS NULL AND expires_at > clock_timestamp()
    RETURNING user_id AS "userId", subject`.execute(db)
  return rows[0]
}
