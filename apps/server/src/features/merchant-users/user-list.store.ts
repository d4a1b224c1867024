import type { WantedUsers } from '@hufu/contract/merchant-users'
import { type RawBuilder, sql } from 'kysely'
import type { Pool } from 'pg'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { shownNickname } from '../../shared/users/display-name.ts'

/** A user as lists show them. */
export interface ListedUser {
  id: UserId
  status: 'active' | 'disabled'
  mobilePrefix: string | null
  mobile: string | null
  nickname: string | null
  username: string | null
  email: string | null
  lastAccess: number | null
  since: number
  operator: boolean
  protected: boolean
}

const columns = `u.id, u.status, u.mobile_prefix AS "mobilePrefix", u.mobile, u.protected,
  ${shownNickname} AS nickname, u.username, u.email,
  (SELECT floor(extract(epoch FROM a.last_access) * 1000)::float8 FROM user_access a
    WHERE a.site_id = u.site_id AND a.user_id = u.id) AS "lastAccess",
  floor(extract(epoch FROM u.listed_at) * 1000)::float8 AS since,
  coalesce((SELECT true FROM permission p WHERE p.site_id = u.site_id AND p.user_id = u.id AND p.area = 'MERCHANT'
    AND p.action = 'READ'), false) AS operator`

/** Fetch windows, tried in turn. */
const reaches = [612, 10_000, 2_000_000_000]

/**
 * All users from a key backwards; skipped ones are counted off in the index. Parameters stand in sub-selects, hidden
 * from the planner, and within a fixed window: so one plan serves all calls.
 */
const backwards = (reach: number) => `SELECT ${columns} FROM (
    SELECT id FROM (
      SELECT listed_at, id FROM users WHERE site_id = $1 AND (listed_at, id) <=
        ((SELECT 'epoch'::timestamptz + $2::float8 * interval '1 microsecond'), (SELECT $3::uuid))
      ORDER BY listed_at DESC, id DESC LIMIT ${reach}) stretch
    ORDER BY listed_at DESC, id DESC OFFSET (SELECT $4::bigint) LIMIT (SELECT $5::bigint)) k,
  LATERAL (SELECT * FROM users WHERE site_id = $1 AND id = k.id LIMIT 1) u
  ORDER BY u.listed_at DESC, u.id DESC`

export interface Stretch {
  /** In microseconds. */
  from: { time: number; id: string }
  pass: number
  top: number
}

export async function readBackwards(pool: Pool, siteId: SiteId, { from, pass, top }: Stretch): Promise<ListedUser[]> {
  const reach = reaches.find((rows) => pass + top <= rows) ?? 0
  const { rows } = await pool.query<ListedUser>({
    name: `users-backwards-${reach}`,
    text: backwards(reach),
    values: [siteId, from.time, from.id, pass, top],
  })
  return rows
}

/** Users that match, in the order of an index. */
export interface Fitting {
  fit: RawBuilder<unknown>
  order: 'newest' | 'nickname'
}

/** Written exactly as in the index. */
const name = sql.raw(`lower(${shownNickname})`)

const orders = {
  newest: sql`u.listed_at DESC, u.id DESC`,
  nickname: sql`${name} USING ~<~, u.id`,
}

const inRange = (from: number | undefined, to: number | undefined) => sql`
  ${from === undefined ? sql`` : sql`AND u.listed_at >= 'epoch'::timestamptz + ${from}::float8 * interval '1 millisecond'`}
  ${to === undefined ? sql`` : sql`AND u.listed_at < 'epoch'::timestamptz + ${to}::float8 * interval '1 millisecond'`}`

export interface Filter {
  only?: WantedUsers['only']
  from?: number | undefined
  to?: number | undefined
}

/** Operators are few and are looked up one by one, whatever the planner estimates. */
const kinds = (siteId: SiteId) => ({
  disabled: sql`u.status = 'disabled'`,
  operators: sql`u.id = ANY (ARRAY(SELECT p.user_id FROM permission p
    WHERE p.site_id = ${siteId} AND p.area = 'MERCHANT' AND p.action = 'READ'))`,
  unprotectedOperators: sql`NOT u.protected AND u.id = ANY (ARRAY(SELECT p.user_id FROM permission p
    WHERE p.site_id = ${siteId} AND p.area = 'MERCHANT'))`,
})

export const filtered = (siteId: SiteId, { only, from, to }: Filter): Fitting => ({
  fit: sql`${only ? kinds(siteId)[only] : sql`true`} ${inRange(from, to)}`,
  order: 'newest',
})

export const oneUser = (id: UserId): Fitting => ({ fit: sql`u.id = ${id}`, order: 'newest' })

export const idsBetween = (first: string, last: string): Fitting => ({
  fit: sql`u.id BETWEEN ${first}::uuid AND ${last}::uuid`,
  order: 'newest',
})

export const lastFour = (digits: string): Fitting => ({ fit: sql`right(u.mobile, 4) = ${digits}`, order: 'newest' })

/** Users whose nickname has this prefix and who are not among the earlier matches. */
export function nicknameFrom(beginning: string, not: RawBuilder<unknown>[]): Fitting {
  const pattern = `${beginning.replace(/[\\%_]/g, '\\$&')}%`
  const others = not.map((fit) => sql`AND (${fit}) IS NOT TRUE`)
  return { fit: sql`${name} LIKE lower(${pattern}) ${sql.join(others, sql` `)}`, order: 'nickname' }
}

export async function readFitting(
  db: Db,
  siteId: SiteId,
  { fit, order }: Fitting,
  { skip, top }: { skip: number; top: number },
): Promise<ListedUser[]> {
  const { rows } = await sql<ListedUser>`
    SELECT ${sql.raw(columns)} FROM users u WHERE u.site_id = ${siteId} AND ${fit}
    ORDER BY ${orders[order]} OFFSET ${skip} LIMIT ${top}`.execute(db)
  return rows
}

/** Counted no further than needed, along the index: matching rows may lie at the far end of the table. */
export async function countFitting(db: Db, siteId: SiteId, { fit, order }: Fitting, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM (
      SELECT FROM users u WHERE u.site_id = ${siteId} AND ${fit} ORDER BY ${orders[order]} LIMIT ${most}) counted`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/** The last user that was read, by their sort key. */
export interface Reached {
  key: string
  id: string
}

export interface ExportedUser extends Reached {
  status: 'active' | 'disabled'
  mobilePrefix: string | null
  mobile: string | null
  nickname: string | null
  username: string | null
  email: string | null
  /** 2026-11-15 09:30:00, by China's clocks. */
  since: string
  lastAccess: string | null
}

const keys = { newest: sql`u.listed_at::text`, nickname: name }

const after = {
  newest: ({ key, id }: Reached) => sql`AND (u.listed_at, u.id) < (${key}::timestamptz, ${id}::uuid)`,
  nickname: ({ key, id }: Reached) => sql`AND ${name} ~>=~ ${key} AND (${name} ~>~ ${key} OR u.id > ${id}::uuid)`,
}

const clock = (column: RawBuilder<unknown>) =>
  sql`to_char(${column} AT TIME ZONE 'Asia/Shanghai', 'YYYY-MM-DD HH24:MI:SS')`

/**
 * The next users after the cursor, numbers and addresses whole. Users who have asked to be erased are left out: by the
 * time of their erasure, no file that can still be downloaded holds them.
 */
export async function readOnward(
  db: Db,
  siteId: SiteId,
  { fit, order }: Fitting,
  reached: Reached | undefined,
  top: number,
): Promise<ExportedUser[]> {
  const { rows } = await sql<ExportedUser>`
    SELECT u.id, ${keys[order]} AS key, u.status, u.mobile_prefix AS "mobilePrefix", u.mobile, u.username, u.email,
      ${sql.raw(shownNickname)} AS nickname, ${clock(sql`u.listed_at`)} AS since,
      (SELECT ${clock(sql`a.last_access`)} FROM user_access a WHERE a.site_id = u.site_id AND a.user_id = u.id) AS "lastAccess"
    FROM users u WHERE u.site_id = ${siteId} AND ${fit} ${reached ? after[order](reached) : sql``}
      AND NOT EXISTS (SELECT FROM deletion d WHERE d.site_id = u.site_id AND d.user_id = u.id)
    ORDER BY ${orders[order]} LIMIT ${top}`.execute(db)
  return rows
}
