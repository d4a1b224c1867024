import { type RawBuilder, sql } from 'kysely'
import type { SessionId, SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { byOthers } from '../../shared/audit/security-log.ts'

/** Whose rows are meant, by every identifier that rows hold. */
export interface Whose {
  siteId: SiteId
  userId: UserId
  /** As they are unique: +8613800138000, lower-case e-mail and username, ids of WeChat. */
  names: { kind: string; value: string }[]
}

export interface Column {
  /** Its label for users. */
  label: string
  /** A hidden one is erased, and named in the archive without its value. */
  shown: 'value' | 'time' | 'hidden'
  /** What codes mean, in words. */
  words?: Readonly<Record<string, string>> | undefined
  /** The expression that is read instead of the column. */
  as?: RawBuilder<unknown> | undefined
}

/**
 * Which rows of a table belong to a user, and the columns that say so: site and user are stated once for the whole
 * archive.
 */
export interface Rows {
  keys: readonly string[]
  of(whose: Whose): RawBuilder<unknown>
}

export interface PersonalTable {
  table: string
  title: string
  rows: Rows
  columns: Readonly<Record<string, Column>>
  order?: RawBuilder<unknown> | undefined
  /** Erased with the user, and in no archive: what operators wrote for each other. */
  erasedOnly?: true
}

/** A user and all login names; undefined when there is none. */
export async function readWhose(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  lock: RawBuilder<unknown> = sql``,
): Promise<Whose | undefined> {
  const { rows: users } = await sql`
    SELECT FROM users WHERE site_id = ${siteId} AND id = ${userId} ${lock}`.execute(db)
  if (users.length === 0) return undefined
  const { rows: names } = await sql<Whose['names'][number]>`
    SELECT kind, value FROM user_identity WHERE site_id = ${siteId} AND user_id = ${userId} ORDER BY kind, value`.execute(
    db,
  )
  return { siteId, userId, names }
}

/** The same, locked until the transaction ends. */
export const holdWhose = (tx: Db, siteId: SiteId, userId: UserId): Promise<Whose | undefined> =>
  readWhose(tx, siteId, userId, sql`FOR UPDATE`)

export type Row = Record<string, unknown>

function selected([name, { shown, as = sql.ref(name) }]: [string, Column]): RawBuilder<unknown> {
  const read = {
    value: sql`to_jsonb(${as})`,
    time: sql`floor(extract(epoch FROM ${as}) * 1000)::float8`,
    hidden: sql`${as} IS NOT NULL`,
  }
  return sql`${read[shown]} AS ${sql.ref(name)}`
}

const rowsAtOnce = 500

/** Some rows at a time, within a transaction: no whole history is held in memory. */
export async function* readRows(tx: Db, { table, rows, columns, order }: PersonalTable, whose: Whose) {
  const ordered = order ? sql`ORDER BY ${order}` : sql``
  // A cursor is planned as if few of its rows were ever fetched; here all are.
  await sql`SET LOCAL cursor_tuple_fraction = 1`.execute(tx)
  await sql`DECLARE personal_rows NO SCROLL CURSOR FOR SELECT ${sql.join(Object.entries(columns).map(selected))}
    FROM ${sql.table(table)} WHERE ${rows.of(whose)} ${ordered}`.execute(tx)
  for (let full = true; full; ) {
    const { rows: some } = await sql<Row>`FETCH ${sql.lit(rowsAtOnce)} FROM personal_rows`.execute(tx)
    full = some.length === rowsAtOnce
    if (some.length > 0) yield some
  }
  await sql`CLOSE personal_rows`.execute(tx)
}

/** Parallel inserts under these locks are done, or find the user erased. */
export async function lockRows(tx: Db, { table, rows }: PersonalTable, whose: Whose): Promise<void> {
  await sql`SELECT FROM ${sql.table(table)} WHERE ${rows.of(whose)} FOR UPDATE`.execute(tx)
}

export async function deleteRows(tx: Db, { table, rows }: PersonalTable, whose: Whose): Promise<void> {
  await sql`DELETE FROM ${sql.table(table)} WHERE ${rows.of(whose)}`.execute(tx)
}

/** Sessions whose state may be in a cache; locked, so that none signs in to a client from now on. */
export async function holdLiveSessions(tx: Db, { siteId, userId }: Whose): Promise<SessionId[]> {
  const { rows } = await sql<{ id: SessionId }>`
    SELECT id FROM session WHERE site_id = ${siteId} AND user_id = ${userId} AND ended_at IS NULL FOR UPDATE`.execute(
    tx,
  )
  return rows.map(({ id }) => id)
}

/**
 * Logs about addresses without a user (codes sent, failures) drop the addresses that only this user came from. An
 * address that others share identifies no user.
 */
export async function forgetAddresses(tx: Db, { siteId, userId }: Whose): Promise<void> {
  await sql`
    WITH own AS (
      SELECT address FROM security_log WHERE site_id = ${siteId} AND user_id = ${userId} AND address IS NOT NULL
        AND event <> ALL(${byOthers})
      UNION SELECT address FROM session WHERE site_id = ${siteId} AND user_id = ${userId}
    ), alone AS (
      SELECT address FROM own WHERE NOT EXISTS (SELECT FROM security_log o
        WHERE o.site_id = ${siteId} AND o.address = own.address AND o.user_id <> ${userId})
    )
    UPDATE security_log l SET address = NULL FROM alone
    WHERE l.site_id = ${siteId} AND l.user_id IS NULL AND l.address = alone.address`.execute(tx)
}

/** Operators' files that can't be downloaded any more; those that can hold no user who has asked to be erased. */
export async function dropOldFiles(tx: Db): Promise<void> {
  await sql`SELECT drop_old_exports()`.execute(tx)
}

/** The file name of a conversation's picture in an archive. */
export const pictureFile = (id: RawBuilder<unknown>): RawBuilder<string> => sql`'反馈图片/' || (${id}) || '.webp'`

/** How much the pictures of conversations may take in an archive, which is made, stored and downloaded in one piece. */
const picturesInArchive = 30 * 1024 * 1024

/** Whether a picture goes in: the newest of a user do, as long as there is room. */
export const goesIn = sql<boolean>`sum(octet_length(bytes)) OVER (ORDER BY created_at DESC, id) <= ${sql.lit(picturesInArchive)}`

/** The pictures of an archive: of the user by their kind, then those of conversations. */
export async function listPictures(
  db: Db,
  { siteId, userId }: Whose,
  conversations: RawBuilder<unknown>,
): Promise<{ name: string; bytes: Buffer }[]> {
  const { rows } = await sql<{ name: string; bytes: Buffer }>`
    SELECT kind || '.webp' AS name, bytes FROM blob WHERE site_id = ${siteId} AND owner_id = ${userId} AND kind <> 'export'
    ORDER BY kind`.execute(db)
  const { rows: talked } = await sql<{ name: string; bytes: Buffer }>`
    SELECT name, bytes FROM (
      SELECT ${pictureFile(sql`id`)} AS name, bytes, created_at, id, ${goesIn} AS goes FROM feedback_picture
      WHERE ${conversations}) p
    WHERE goes ORDER BY created_at, id`.execute(db)
  return [...rows, ...talked]
}
