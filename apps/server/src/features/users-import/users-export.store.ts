import { sql } from 'kysely'
import type { IdentityKind, SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'

export interface StoredName {
  kind: IdentityKind
  value: string
  /** Null for one that was never proved. */
  provedAt: string | null
}

export interface StoredUser {
  id: UserId
  /** Where the next page begins. */
  listedAt: string
  status: 'active' | 'disabled'
  createdAt: string
  lastAccessAt: string | null
  nickname: string | null
  wechatNickname: string | null
  mobilePrefix: string | null
  mobile: string | null
  email: string | null
  username: string | null
  names: StoredName[]
  secret: string | null
}

const iso = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/** Everything that is read belongs to one moment, however long the reading takes. */
export async function beginSnapshot(tx: Db): Promise<void> {
  await sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`.execute(tx)
  // The reader of the file may be slow.
  await sql`SET LOCAL idle_in_transaction_session_timeout = 0`.execute(tx)
  await sql`SET LOCAL statement_timeout = '5min'`.execute(tx)
}

/** Users who have asked to be erased are left out. */
const wanted = (siteId: SiteId) => sql`u.site_id = ${siteId}
  AND NOT EXISTS (SELECT FROM deletion d WHERE d.site_id = u.site_id AND d.user_id = u.id)`

export async function countExported(tx: Db, siteId: SiteId): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::float8 AS count FROM users u WHERE ${wanted(siteId)}`.execute(tx)
  return rows[0]?.count ?? 0
}

/** The next users in the order in which they came, the oldest first. */
export async function readExported(
  tx: Db,
  siteId: SiteId,
  after: Pick<StoredUser, 'id' | 'listedAt'> | undefined,
  top: number,
): Promise<StoredUser[]> {
  const { rows } = await sql<StoredUser>`
    SELECT u.id, u.listed_at::text AS "listedAt", u.status, ${sql.raw(iso('u.listed_at'))} AS "createdAt",
      (SELECT ${sql.raw(iso('a.last_access'))} FROM user_access a WHERE a.site_id = u.site_id AND a.user_id = u.id) AS "lastAccessAt",
      u.nickname, u.wechat_nickname AS "wechatNickname", u.mobile_prefix AS "mobilePrefix", u.mobile, u.email, u.username,
      (SELECT coalesce(jsonb_agg(jsonb_build_object('kind', i.kind, 'value', i.value,
          'provedAt', CASE WHEN i.proved_at > 'epoch' THEN ${sql.raw(iso('i.proved_at'))} END) ORDER BY i.kind), '[]')
        FROM user_identity n JOIN identity i ON i.site_id = n.site_id AND i.kind = n.kind AND i.value = n.value
        WHERE n.site_id = u.site_id AND n.user_id = u.id) AS names,
      (SELECT c.secret FROM credential c WHERE c.site_id = u.site_id AND c.user_id = u.id AND c.kind = 'password') AS secret
    FROM users u WHERE ${wanted(siteId)}
      ${after ? sql`AND (u.listed_at, u.id) > (${after.listedAt}::timestamptz, ${after.id}::uuid)` : sql``}
    ORDER BY u.listed_at, u.id LIMIT ${top}`.execute(tx)
  return rows
}
