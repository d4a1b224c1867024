import type { SavedConfig } from '@hufu/contract/merchant-config'
import type { SiteConfig } from '@hufu/contract/site'
import { type RawBuilder, sql } from 'kysely'
import type { SiteId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { displayName } from '../../shared/users/display-name.ts'

export interface StoredVersion extends Omit<SavedConfig, 'by'> {
  /** Null where no operator of the back-office saved it. */
  userId: string | null
  name: string | null
}

const uuid = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'

/** Operators are joined by primary key, and only where there is one. */
const rows = (siteId: SiteId, more: RawBuilder<unknown>, rest: RawBuilder<unknown>) => sql`
  SELECT c.version, floor(extract(epoch FROM c.saved_at) * 1000)::float8 AS time, c.restored, c.saved_by AS "userId",
    ${displayName} AS name ${more}
  FROM (SELECT version, saved_at, restored, config, CASE WHEN saved_by ~ ${uuid} THEN saved_by::uuid END AS saved_by
    FROM site_config WHERE site_id = ${siteId}) c
  LEFT JOIN users u ON u.site_id = ${siteId} AND u.id = c.saved_by
  ${rest}`

/** Newest first. */
export async function listVersions(
  db: Db,
  siteId: SiteId,
  { top, skip }: { top: number; skip: number },
): Promise<StoredVersion[]> {
  const part = sql`ORDER BY c.version DESC LIMIT ${top} OFFSET ${skip}`
  return (await (rows(siteId, sql``, part) as RawBuilder<StoredVersion>).execute(db)).rows
}

export async function countVersions(db: Db, siteId: SiteId): Promise<number> {
  const { rows: counted } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM site_config WHERE site_id = ${siteId}`.execute(db)
  return counted[0]?.count ?? 0
}

/** One version with what it says, the newest where none is named. */
export async function findVersion(
  db: Db,
  siteId: SiteId,
  version: number | undefined,
): Promise<(StoredVersion & { config: SiteConfig }) | undefined> {
  const part = sql`WHERE ${version ?? null}::int IS NULL OR c.version = ${version ?? null}
    ORDER BY c.version DESC LIMIT 1`
  const found = rows(siteId, sql`, c.config`, part) as RawBuilder<StoredVersion & { config: SiteConfig }>
  return (await found.execute(db)).rows[0]
}

/** As what the named OpenID Connect clients were ever saved: first-party or not. */
export async function findParties(
  db: Db,
  siteId: SiteId,
  ids: string[],
): Promise<{ id: string; firstParty: boolean }[]> {
  const { rows: found } = await sql<{ id: string; firstParty: boolean }>`
    SELECT DISTINCT client->>'id' AS id, coalesce(client->>'firstParty', 'false') = 'true' AS "firstParty"
    FROM site_config c CROSS JOIN LATERAL json_array_elements(c.config->'clients') client
    WHERE c.site_id = ${siteId} AND client->>'id' = ANY (${ids}) AND client->>'kind' <> 'machine'`.execute(db)
  return found
}
