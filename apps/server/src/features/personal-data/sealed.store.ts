import { sealedDays } from '@hufu/contract/personal-data-rules'
import { sql } from 'kysely'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'

export interface SignIn {
  id: string
  /** As PostgreSQL writes it, to the microsecond. */
  at: string
  event: string
  address: string | null
  detail: Record<string, unknown>
}

const since = sql`clock_timestamp() - make_interval(days => ${sql.lit(sealedDays)})`

/** Every sign-in that must be kept, to this site and to others from here. */
export async function listSignIns(db: Db, siteId: SiteId, userId: UserId): Promise<SignIn[]> {
  const { rows } = await sql<SignIn>`
    SELECT id, at::text, event, host(address) AS address, detail FROM security_log
    WHERE site_id = ${siteId} AND user_id = ${userId} AND event IN ('login', 'authorize') AND at > ${since}
    ORDER BY at, id`.execute(db)
  return rows
}

export interface Sealed {
  id: string
  at: string
  sealed: string
}

export async function insertSealed(db: Db, siteId: SiteId, userId: UserId, rows: Sealed[]): Promise<void> {
  await sql`
    INSERT INTO sealed_sign_in (site_id, user_id, at, id, sealed)
    SELECT ${siteId}, ${userId}, r.at, r.id, r.sealed
    FROM unnest(${rows.map(({ at }) => at)}::timestamptz[], ${rows.map(({ id }) => id)}::uuid[],
      ${rows.map(({ sealed }) => sealed)}::text[]) AS r (at, id, sealed)`.execute(db)
}

/** The retained rows of a user; expired ones are skipped, whether or not upkeep has run. */
export async function listSealed(db: Db, siteId: SiteId, userId: UserId): Promise<Sealed[]> {
  const { rows } = await sql<Sealed>`
    SELECT id, at::text, sealed FROM sealed_sign_in
    WHERE site_id = ${siteId} AND user_id = ${userId} AND at > ${since} ORDER BY at, id`.execute(db)
  return rows
}

export interface Kept extends Sealed {
  siteId: SiteId
  userId: UserId
}

/** Some rows that are sealed with another key, in the order of the table's key and after a given row. */
export async function listOtherKey(db: Db, keyId: string, top: number, last?: Kept): Promise<Kept[]> {
  const after = last
    ? sql`AND (site_id, user_id, at, id) > (${last.siteId}, ${last.userId}, ${last.at}::timestamptz, ${last.id})`
    : sql``
  const { rows } = await sql<Kept>`
    SELECT site_id AS "siteId", user_id AS "userId", id, at::text, sealed FROM sealed_sign_in
    WHERE NOT starts_with(sealed, ${`sealed:${keyId}:`}) ${after}
    ORDER BY site_id, user_id, at, id LIMIT ${top} FOR UPDATE`.execute(db)
  return rows
}

export async function replaceSealed(db: Db, { siteId, userId, at, id, sealed }: Kept): Promise<void> {
  await sql`UPDATE sealed_sign_in SET sealed = ${sealed}
    WHERE site_id = ${siteId} AND user_id = ${userId} AND at = ${at}::timestamptz AND id = ${id}`.execute(db)
}
