import { type RawBuilder, sql } from 'kysely'
import type { Pool } from 'pg'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'

/** A position in the order of registration. Microseconds, as the database has them: a millisecond holds many. */
export interface Key {
  time: number
  id: string
}

export interface Bucket extends Key {
  count: number
}

export const beforeAll: Key = { time: 0, id: '00000000-0000-0000-0000-000000000000' }
export const afterAll: Key = { time: 9e15, id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }

const bucketSize = 512
const bucketsAtOnce = 100

const micros = '(extract(epoch FROM listed_at) * 1000000)::float8'

/** All buckets of a site, oldest first. */
export async function readBuckets(pool: Pool, siteId: SiteId): Promise<Bucket[]> {
  const { rows } = await pool.query<Bucket>(
    `SELECT ${micros} AS time, id, count FROM user_bucket WHERE site_id = $1 ORDER BY listed_at, id`,
    [siteId],
  )
  return rows
}

const soMany = 5_000

/** A key hidden from the planner, so that one plan serves all calls. */
const key = (time: string, id: string) =>
  `((SELECT 'epoch'::timestamptz + ${time}::float8 * interval '1 microsecond'), (SELECT ${id}::uuid))`

const between = `FROM users WHERE site_id = $1 AND (listed_at, id) > ${key('$2', '$3')} AND (listed_at, id) <= ${key('$4', '$5')}`
const countFew = `SELECT count(*)::int AS count FROM (SELECT ${between} ORDER BY listed_at, id LIMIT ${soMany}) counted`
const countMany = `SELECT count(*)::int AS count ${between}`

/** Counts users after one key up to another, by the index alone; quick because they are few. */
export async function countBetween(pool: Pool, siteId: SiteId, after: Key, upTo: Key): Promise<number> {
  const values = [siteId, after.time, after.id, upTo.time, upTo.id]
  const { rows } = await pool.query<{ count: number }>({ name: 'users-between', text: countFew, values })
  const count = rows[0]?.count ?? 0
  if (count < soMany) return count
  return (await pool.query<{ count: number }>(countMany, values)).rows[0]?.count ?? 0
}

const lockOf = (siteId: SiteId) => sql`hashtextextended(${`user-buckets ${siteId}`}, 0)`

/** The newest key in a bucket; a key before all users where there is none. */
const lastClosed = (siteId: RawBuilder<unknown>) => sql`
  SELECT coalesce(b.listed_at, '-infinity') AS listed_at, coalesce(b.id, ${beforeAll.id}::uuid) AS id
  FROM (SELECT) one LEFT JOIN LATERAL (
    SELECT listed_at, id FROM user_bucket WHERE site_id = ${siteId} ORDER BY listed_at DESC, id DESC LIMIT 1) b ON true`

/**
 * The oldest users in no bucket yet. Users of the last minute wait: an older transaction may still insert one before
 * them.
 */
const unclosed = (siteId: RawBuilder<unknown>, part: RawBuilder<unknown>) => sql`(${lastClosed(siteId)}) s, LATERAL (
  SELECT u.listed_at, u.id FROM users u WHERE u.site_id = ${siteId} AND (u.listed_at, u.id) > (s.listed_at, s.id)
    AND u.listed_at < now() - interval '60 seconds'
  ORDER BY u.listed_at, u.id ${part}) o`

/**
 * Writes the next full buckets; answers whether there may be more. Waits for deletions in progress, and they for it.
 */
export async function sealSome(db: Db, siteId: SiteId): Promise<boolean> {
  return await db.transaction().execute(async (tx) => {
    await sql`SELECT pg_advisory_xact_lock(${lockOf(siteId)})`.execute(tx)
    const { numAffectedRows } = await sql`
      INSERT INTO user_bucket (site_id, listed_at, id, count)
      SELECT ${siteId}, listed_at, id, ${sql.lit(bucketSize)} FROM (
        SELECT o.listed_at, o.id, row_number() OVER (ORDER BY o.listed_at, o.id) AS place
        FROM ${unclosed(sql`${siteId}::uuid`, sql`LIMIT ${sql.lit(bucketSize * bucketsAtOnce)}`)}) numbered
      WHERE place % ${sql.lit(bucketSize)} = 0`.execute(tx)
    return Number(numAffectedRows ?? 0) === bucketsAtOnce
  })
}

/** Sites with at least one full bucket to close. */
export async function sitesToClose(db: Db): Promise<SiteId[]> {
  const lastOfBucket = sql`OFFSET ${sql.lit(bucketSize - 1)} LIMIT 1`
  const { rows } = await sql<{ id: SiteId }>`
    SELECT site.id FROM site, LATERAL (SELECT FROM ${unclosed(sql`site.id`, lastOfBucket)}) full_one`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * Removes a user and their names and takes them out of their bucket, within the transaction of the erasure. Deletions
 * share the lock, closing a bucket takes it exclusively: no user is put into a bucket and removed at once.
 */
export async function deleteUser(tx: Db, siteId: SiteId, userId: UserId): Promise<boolean> {
  await sql`SELECT pg_advisory_xact_lock_shared(${lockOf(siteId)})`.execute(tx)
  const { rows } = await sql<{ listedAt: string }>`
    DELETE FROM users WHERE site_id = ${siteId} AND id = ${userId} RETURNING listed_at::text AS "listedAt"`.execute(tx)
  const [gone] = rows
  if (!gone) return false
  await noteDeleted(tx, siteId, gone.listedAt, userId)
  await sql`
    WITH names AS (DELETE FROM user_identity WHERE site_id = ${siteId} AND user_id = ${userId} RETURNING kind, value)
    DELETE FROM identity i USING names n
    WHERE i.site_id = ${siteId} AND i.kind = n.kind AND i.value = n.value AND i.user_id = ${userId}`.execute(tx)
  await sql`DELETE FROM user_access WHERE site_id = ${siteId} AND user_id = ${userId}`.execute(tx)
  return true
}

/** Their bucket holds one less; a user in none is just not counted. */
async function noteDeleted(tx: Db, siteId: SiteId, listedAt: string, id: UserId): Promise<void> {
  await sql`
    UPDATE user_bucket SET count = count - 1 WHERE site_id = ${siteId} AND (listed_at, id) = (
      SELECT listed_at, id FROM user_bucket WHERE site_id = ${siteId} AND (listed_at, id) >= (${listedAt}::timestamptz, ${id}::uuid)
      ORDER BY listed_at, id LIMIT 1)`.execute(tx)
}

/**
 * For users who are inserted with a time in the past, in their transaction: the buckets from there on are given up, and
 * closed again by the job. None is closed before the transaction ends.
 */
export async function reopenBuckets(tx: Db, siteId: SiteId, since: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock_shared(${lockOf(siteId)})`.execute(tx)
  await sql`DELETE FROM user_bucket WHERE site_id = ${siteId} AND listed_at >= ${since}::timestamptz`.execute(tx)
}
