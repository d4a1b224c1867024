import type { ManagedFilter, ManagedSession, ManagedUser } from '@hufu/contract/manage-users'
import { type RawBuilder, sql } from 'kysely'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Position } from '../../shared/machine/cursor.ts'
import { letsIn } from '../../shared/sessions/session-list.store.ts'
import { accountStatus } from '../../shared/users/account-status.ts'
import { shownNickname } from '../../shared/users/display-name.ts'

export type UserRow = ManagedUser & { key: string }

/** Number and address whole, as the store has them. */
const columns = sql`u.id, ${accountStatus} AS status, ${sql.raw(shownNickname)} AS nickname, u.username,
  u.mobile_prefix AS "mobilePrefix", u.mobile, u.email, u.protected, u.listed_at::text AS key,
  EXISTS (SELECT FROM credential c WHERE c.site_id = u.site_id AND c.user_id = u.id AND c.kind = 'password') AS password,
  EXISTS (SELECT FROM user_identity i WHERE i.site_id = u.site_id AND i.user_id = u.id AND i.kind LIKE 'wechat.%') AS wechat,
  EXISTS (SELECT FROM permission p WHERE p.site_id = u.site_id AND p.user_id = u.id AND p.area = 'MERCHANT') AS operator,
  floor(extract(epoch FROM u.listed_at) * 1000)::float8 AS since,
  (SELECT floor(extract(epoch FROM d.due_at) * 1000)::float8 FROM deletion d
    WHERE d.site_id = u.site_id AND d.user_id = u.id) AS closing`

const moment = (ms: number) => sql`'epoch'::timestamptz + ${ms}::float8 * interval '1 millisecond'`

const newest = sql`u.listed_at DESC, u.id DESC`

async function read(db: Db, siteId: SiteId, wanted: RawBuilder<unknown>, top: number): Promise<UserRow[]> {
  const { rows } = await sql<UserRow>`SELECT ${columns}
    FROM (SELECT * FROM users u WHERE u.site_id = ${siteId} ${wanted} ORDER BY ${newest} LIMIT ${top}) u
    ORDER BY ${newest}`.execute(db)
  return rows
}

export const listUsers = (
  db: Db,
  siteId: SiteId,
  { status, from, to }: ManagedFilter,
  after: Position | undefined,
  top: number,
): Promise<UserRow[]> =>
  read(
    db,
    siteId,
    sql`${status === undefined ? sql`` : sql`AND u.status = ${status}`}
      ${from === undefined ? sql`` : sql`AND u.listed_at >= ${moment(from)}`}
      ${to === undefined ? sql`` : sql`AND u.listed_at < ${moment(to)}`}
      ${after ? sql`AND (u.listed_at, u.id) < (${after[0]}::timestamptz, ${after[1]}::uuid)` : sql``}`,
    top,
  )

export const findUser = async (db: Db, siteId: SiteId, id: UserId): Promise<UserRow | undefined> =>
  (await read(db, siteId, sql`AND u.id = ${id}`, 1))[0]

/** Live sessions, newest first. */
export async function listUserSessions(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  after: Position | undefined,
  top: number,
): Promise<(ManagedSession & { key: string })[]> {
  const { rows } = await sql<ManagedSession & { key: string }>`
    SELECT s.id, s.browser, s.device, s.os, s.region, s.created_at::text AS key,
      floor(extract(epoch FROM s.created_at) * 1000)::float8 AS time,
      floor(extract(epoch FROM coalesce(a.last_access, s.created_at)) * 1000)::float8 AS "lastAccess"
    FROM session s
    LEFT JOIN session_access a ON a.site_id = s.site_id AND a.user_id = s.user_id AND a.session_id = s.id
    WHERE s.site_id = ${siteId} AND s.user_id = ${userId} AND ${letsIn}
      ${after ? sql`AND (s.created_at, s.id) < (${after[0]}::timestamptz, ${after[1]}::uuid)` : sql``}
    ORDER BY s.created_at DESC, s.id DESC LIMIT ${top}`.execute(db)
  return rows
}
