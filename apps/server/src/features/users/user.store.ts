import { sql } from 'kysely'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Db, Row } from '../../platform/postgres/db.ts'

/** Users whose id has this prefix, at most as many as asked for. */
export async function findUsers(db: Db, siteId: SiteId, idBeginning: string, most: number): Promise<UserId[]> {
  const end = (digit: string) =>
    `${idBeginning}${`00000000-0000-0000-0000-000000000000`.replaceAll('0', digit).slice(idBeginning.length)}`
  const { rows } = await sql<{ id: UserId }>`SELECT id FROM users
    WHERE site_id = ${siteId} AND id BETWEEN ${end('0')} AND ${end('f')} LIMIT ${most}`.execute(db)
  return rows.map(({ id }) => id)
}

export interface Facts {
  since: number
  /** Whether some WeChat signs in to the account. */
  wechat: boolean
  /** Its second factors; of passkeys and recovery codes how many. */
  factors: { passkeys: number; totp: boolean; recovery: number }
}

/** What an operator sees of a user besides the user's own view. */
export async function readFacts(db: Db, siteId: SiteId, userId: UserId): Promise<Facts | undefined> {
  const { rows } = await sql<Facts>`
    SELECT floor(extract(epoch FROM listed_at) * 1000)::float8 AS since,
      EXISTS (SELECT FROM user_identity i WHERE i.site_id = u.site_id AND i.user_id = u.id AND i.kind LIKE 'wechat.%') AS wechat,
      jsonb_build_object(
        'passkeys', (SELECT count(*) FROM passkey p WHERE p.site_id = u.site_id AND p.user_id = u.id),
        'totp', EXISTS (SELECT FROM totp t WHERE t.site_id = u.site_id AND t.user_id = u.id AND t.confirmed_at IS NOT NULL),
        'recovery', (SELECT count(*) FROM recovery_code r
          WHERE r.site_id = u.site_id AND r.user_id = u.id AND r.spent_at IS NULL)) AS factors
    FROM users u WHERE site_id = ${siteId} AND id = ${userId}`.execute(db)
  return rows[0]
}

/**
 * Locks the user, disabled or not, until the transaction ends; false when there is none. What must hold under the lock
 * is read by a statement of its own: one that has waited still sees other tables as they were.
 */
export async function lockUser(db: Db, siteId: SiteId, userId: UserId): Promise<boolean> {
  const { rows } = await sql`SELECT FROM users WHERE site_id = ${siteId} AND id = ${userId} FOR UPDATE`.execute(db)
  return rows.length === 1
}

/** The numbers that sign in to the account, in their unique spelling. */
export async function listMobiles(db: Db, siteId: SiteId, userId: UserId): Promise<string[]> {
  const { rows } = await sql<Row<'user_identity', 'value'>>`SELECT value FROM user_identity
    WHERE site_id = ${siteId} AND user_id = ${userId} AND kind = 'mobile'`.execute(db)
  return rows.map(({ value }) => value)
}
