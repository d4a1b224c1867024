import { sql } from 'kysely'
import type { IdentityKind, SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Authority } from '../../shared/step-up/authority.ts'

/** How far an import is. */
export interface ImportProgress {
  id: string
  bytes: number
  lines: number
  imported: number
  refused: number
  reportBytes: number
}

const progress = sql`id, bytes::float8 AS bytes, lines::float8 AS lines, imported::float8 AS imported,
  refused::float8 AS refused, report_bytes::float8 AS "reportBytes"`

const lockOf = (siteId: SiteId) => sql`hashtextextended(${`user-import ${siteId}`}, 0)`

/** One import of a site at a time, until the connection ends. False while another process has it. */
export async function lockImports(connection: Db, siteId: SiteId): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`SELECT pg_try_advisory_lock(${lockOf(siteId)}) AS taken`.execute(
    connection,
  )
  return rows[0]?.taken ?? false
}

/** The unfinished import of this file, or a new one. */
export async function beginImport(
  db: Db,
  siteId: SiteId,
  fingerprint: Buffer,
  operator: string,
): Promise<ImportProgress & { resumed: boolean }> {
  const { rows } = await sql<ImportProgress & { resumed: boolean }>`
    INSERT INTO user_import (site_id, fingerprint, operator) VALUES (${siteId}, ${fingerprint}, ${operator})
    ON CONFLICT (site_id, fingerprint) WHERE finished_at IS NULL DO UPDATE SET active_at = now()
    RETURNING ${progress}, xmax <> 0 AS resumed`.execute(db)
  const [begun] = rows
  if (!begun) throw new Error('the import was not begun')
  return begun
}

/** With the rows that it counts, in their transaction. False where another process came further: nothing may stay. */
export async function advanceImport(
  tx: Db,
  siteId: SiteId,
  from: ImportProgress,
  to: ImportProgress,
): Promise<boolean> {
  const { rows } = await sql`
    UPDATE user_import SET active_at = now(), bytes = ${to.bytes}, lines = ${to.lines}, imported = ${to.imported},
      refused = ${to.refused}, report_bytes = ${to.reportBytes}
    WHERE site_id = ${siteId} AND id = ${from.id} AND bytes = ${from.bytes} AND finished_at IS NULL RETURNING 1`.execute(
    tx,
  )
  return rows.length === 1
}

export async function finishImport(tx: Db, siteId: SiteId, id: string): Promise<void> {
  await sql`UPDATE user_import SET finished_at = now() WHERE site_id = ${siteId} AND id = ${id}`.execute(tx)
}

export interface PastImport {
  id: string
  operator: string
  started: string
  finished: string | null
  imported: number
  refused: number
  lines: number
}

export async function listImports(db: Db, siteId: SiteId): Promise<PastImport[]> {
  const { rows } = await sql<PastImport>`
    SELECT id, operator, to_char(started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS started,
      to_char(finished_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS finished,
      imported::float8 AS imported, refused::float8 AS refused, lines::float8 AS lines
    FROM user_import WHERE site_id = ${siteId} ORDER BY started_at, id`.execute(db)
  return rows
}

export interface TakenName {
  kind: IdentityKind
  value: string
  /** Of the site's user, or the line of the file. */
  user: UserId | null
  first: number | null
}

interface Names {
  kinds: string[]
  values: string[]
}

/** Which of these names sign in to a user; each is looked up by the key. */
export async function findTaken(db: Db, siteId: SiteId, { kinds, values }: Names): Promise<TakenName[]> {
  const { rows } = await sql<TakenName>`
    SELECT n.kind, n.value, i.user_id AS user, NULL::int AS first
    FROM unnest(${kinds}::text[], ${values}::text[]) AS n (kind, value), LATERAL (
      SELECT user_id FROM identity WHERE site_id = ${siteId} AND kind = n.kind AND value = n.value LIMIT 1) i`.execute(
    db,
  )
  return rows
}

export async function findTakenIds(db: Db, siteId: SiteId, ids: string[]): Promise<UserId[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: UserId }>`
    SELECT u.id FROM unnest(${ids}::uuid[]) AS n (id), LATERAL (
      SELECT id FROM users WHERE site_id = ${siteId} AND id = n.id LIMIT 1) u`.execute(db)
  return rows.map(({ id }) => id)
}

/** For a dry run: what earlier lines would have taken, for as long as the connection lives. */
export async function makeRehearsal(connection: Db): Promise<void> {
  await sql`CREATE TEMP TABLE rehearsed (kind text, value text, line bigint, PRIMARY KEY (kind, value))`.execute(
    connection,
  )
}

export async function findRehearsed(connection: Db, { kinds, values }: Names): Promise<TakenName[]> {
  const { rows } = await sql<TakenName>`
    SELECT n.kind, n.value, NULL AS user, r.line::float8 AS first
    FROM unnest(${kinds}::text[], ${values}::text[]) AS n (kind, value), LATERAL (
      SELECT line FROM rehearsed WHERE kind = n.kind AND value = n.value LIMIT 1) r`.execute(connection)
  return rows
}

export async function rehearse(connection: Db, { kinds, values }: Names, lines: number[]): Promise<void> {
  await sql`INSERT INTO rehearsed SELECT * FROM unnest(${kinds}::text[], ${values}::text[], ${lines}::bigint[])
    ON CONFLICT DO NOTHING`.execute(connection)
}

/** So many rows at a time as arrays, one for each column. */
export interface NewUsers {
  ids: string[]
  statuses: string[]
  createdAt: (string | null)[]
  nicknames: (string | null)[]
  wechatNicknames: (string | null)[]
  wechatOpenIds: (string | null)[]
  prefixes: (string | null)[]
  mobiles: (string | null)[]
  emails: (string | null)[]
  usernames: (string | null)[]
}

/** How many were inserted; an id that another user has is left out. */
export async function insertUsers(tx: Db, _by: Authority, siteId: SiteId, rows: NewUsers): Promise<number> {
  const { numAffectedRows } = await sql`
    INSERT INTO users (site_id, id, status, listed_at, nickname, wechat_nickname, wechat_open_id, mobile_prefix, mobile, email, username)
    SELECT ${siteId}, id, status, coalesce(created_at, now()), nickname, wechat_nickname, wechat_open_id, prefix, mobile, email, username
    FROM unnest(${rows.ids}::uuid[], ${rows.statuses}::text[], ${rows.createdAt}::timestamptz[], ${rows.nicknames}::text[],
      ${rows.wechatNicknames}::text[], ${rows.wechatOpenIds}::text[], ${rows.prefixes}::text[], ${rows.mobiles}::text[],
      ${rows.emails}::text[], ${rows.usernames}::text[])
      AS t (id, status, created_at, nickname, wechat_nickname, wechat_open_id, prefix, mobile, email, username)
    ON CONFLICT DO NOTHING`.execute(tx)
  return Number(numAffectedRows ?? 0)
}

export interface NewNames extends Names {
  users: string[]
  /** Null for a name that was never proved. */
  provedAt: (string | null)[]
}

/** How many were inserted; a name that another user has taken meanwhile is left out. */
export async function insertNames(tx: Db, _by: Authority, siteId: SiteId, names: NewNames): Promise<number> {
  const { users, kinds, values, provedAt } = names
  await sql`INSERT INTO user_identity (site_id, user_id, kind, value)
    SELECT ${siteId}, u, k, v FROM unnest(${users}::uuid[], ${kinds}::text[], ${values}::text[]) AS t (u, k, v)
    ON CONFLICT DO NOTHING`.execute(tx)
  // Last, and in the order of the key: sign-ups of the same names wait for as little as possible.
  const { numAffectedRows } = await sql`
    INSERT INTO identity (site_id, kind, value, user_id, proved_at)
    SELECT ${siteId}, k, v, u, coalesce(p, 'epoch')
    FROM unnest(${users}::uuid[], ${kinds}::text[], ${values}::text[], ${provedAt}::timestamptz[]) AS t (u, k, v, p)
    ORDER BY k, v ON CONFLICT DO NOTHING`.execute(tx)
  return Number(numAffectedRows ?? 0)
}

export interface NewPasswords {
  users: string[]
  secrets: string[]
  forms: (string | null)[]
}

export async function insertPasswords(
  tx: Db,
  _by: Authority,
  siteId: SiteId,
  { users, secrets, forms }: NewPasswords,
): Promise<void> {
  await sql`INSERT INTO credential (site_id, user_id, kind, secret, imported_form)
    SELECT ${siteId}, u, 'password', s, f FROM unnest(${users}::uuid[], ${secrets}::text[], ${forms}::text[]) AS t (u, s, f)
    ON CONFLICT DO NOTHING`.execute(tx)
}

export async function insertAccesses(tx: Db, siteId: SiteId, users: string[], at: string[]): Promise<void> {
  await sql`INSERT INTO user_access (site_id, user_id, last_access)
    SELECT ${siteId}, u, a FROM unnest(${users}::uuid[], ${at}::timestamptz[]) AS t (u, a)
    ON CONFLICT DO NOTHING`.execute(tx)
}
