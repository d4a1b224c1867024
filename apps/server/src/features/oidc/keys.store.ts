import { sql } from 'kysely'
import type { SiteId } from '../../platform/ids.ts'
import type { Db, Row } from '../../platform/postgres/db.ts'

export type SealedKey = Row<'oidc_key', 'kid' | 'sealed'>
export type Stage = Row<'oidc_key', 'stage'>['stage']

/** Published this long before it signs: longer than clients and caches keep a key set. */
const publishedMinutes = 10

/** In the order in which the provider takes them: current, next, previous. */
export async function listKeys(db: Db, siteId: SiteId): Promise<SealedKey[]> {
  const { rows } = await sql<SealedKey>`SELECT kid, sealed FROM oidc_key WHERE site_id = ${siteId}
    ORDER BY array_position(ARRAY['current', 'next', 'previous'], stage)`.execute(db)
  return rows
}

/** A stage that has a key keeps it: of several processes at once one wins. */
export async function insertKeys(db: Db, siteId: SiteId, keys: (SealedKey & { stage: Stage })[]): Promise<void> {
  const values = keys.map(({ kid, stage, sealed }) => sql`(${siteId}, ${kid}, ${stage}, ${sealed})`)
  await sql`INSERT INTO oidc_key (site_id, kid, stage, sealed) VALUES ${sql.join(values)}
    ON CONFLICT DO NOTHING`.execute(db)
}

export async function readSalt(db: Db, siteId: SiteId): Promise<string | undefined> {
  const { rows } = await sql<Row<'oidc_salt', 'sealed'>>`
    SELECT sealed FROM oidc_salt WHERE site_id = ${siteId}`.execute(db)
  return rows[0]?.sealed
}

/** The first one stays. */
export async function insertSalt(db: Db, siteId: SiteId, sealed: string): Promise<void> {
  await sql`INSERT INTO oidc_salt (site_id, sealed) VALUES (${siteId}, ${sealed}) ON CONFLICT DO NOTHING`.execute(db)
}

/** Makes every process load the site with its next poll; rotations of a site wait for each other here. */
export async function raiseVersion(tx: Db, siteId: SiteId): Promise<void> {
  await sql`UPDATE site SET version = version + 1 WHERE id = ${siteId}`.execute(tx)
}

/** The next key and when it may sign; undefined where the site has none. */
export async function readNext(tx: Db, siteId: SiteId): Promise<{ kid: string; ready: boolean; at: Date } | undefined> {
  const { rows } = await sql<{ kid: string; ready: boolean; at: Date }>`
    SELECT kid, at <= clock_timestamp() AS ready, at
    FROM (SELECT kid, staged_at + make_interval(mins => ${publishedMinutes}) AS at FROM oidc_key
      WHERE site_id = ${siteId} AND stage = 'next') next`.execute(tx)
  return rows[0]
}

/** Drops the previous key and moves the others on: a stage is free before the next one takes it. */
export async function moveKeys(tx: Db, siteId: SiteId): Promise<void> {
  const of = sql`WHERE site_id = ${siteId} AND stage`
  await sql`DELETE FROM oidc_key ${of} = 'previous'`.execute(tx)
  await sql`UPDATE oidc_key SET stage = 'previous', staged_at = clock_timestamp() ${of} = 'current'`.execute(tx)
  await sql`UPDATE oidc_key SET stage = 'current', staged_at = clock_timestamp() ${of} = 'next'`.execute(tx)
}

/** Sites with keys; where days are given, those whose current key has signed for so long. */
export async function listSitesWithKeys(db: Db, days = 0): Promise<SiteId[]> {
  const { rows } = await sql<Row<'oidc_key', 'site_id'>>`SELECT site_id FROM oidc_key
    WHERE stage = 'current' AND staged_at <= clock_timestamp() - make_interval(days => ${days})
    ORDER BY site_id`.execute(db)
  return rows.map(({ site_id }) => site_id)
}

interface SealedRow {
  siteId: SiteId
  /** Null for the salt. */
  kid: string | null
  sealed: string
}

/** Everything that is sealed with another key: a few rows for each site. */
export async function listOtherKey(tx: Db, keyId: string): Promise<SealedRow[]> {
  const other = sql`NOT starts_with(sealed, ${`sealed:${keyId}:`}) FOR UPDATE`
  const { rows: keys } = await sql<SealedRow>`
    SELECT site_id AS "siteId", kid, sealed FROM oidc_key WHERE ${other}`.execute(tx)
  const { rows: salts } = await sql<SealedRow>`
    SELECT site_id AS "siteId", NULL AS kid, sealed FROM oidc_salt WHERE ${other}`.execute(tx)
  return [...keys, ...salts]
}

export async function replaceSealed(tx: Db, { siteId, kid, sealed }: SealedRow): Promise<void> {
  await (kid === null
    ? sql`UPDATE oidc_salt SET sealed = ${sealed} WHERE site_id = ${siteId}`
    : sql`UPDATE oidc_key SET sealed = ${sealed} WHERE site_id = ${siteId} AND kid = ${kid}`
  ).execute(tx)
}
