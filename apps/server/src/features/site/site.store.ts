import type { SiteConfig } from '@hufu/contract/site'
import { sql } from 'kysely'
import type { SiteId } from '../../platform/ids.ts'
import { assignments } from '../../platform/postgres/assignments.ts'
import type { Db, Row } from '../../platform/postgres/db.ts'
import type { ConfigAuthority } from '../../shared/step-up/authority.ts'

export interface StoredConfig {
  version: number
  config: SiteConfig
}

/** False when another site has the origin already. */
export async function insertSite(db: Db, siteId: SiteId, origin: string): Promise<boolean> {
  const { numAffectedRows } = await sql`INSERT INTO site (id, origin) VALUES (${siteId}, ${origin})
    ON CONFLICT DO NOTHING`.execute(db)
  return numAffectedRows === 1n
}

/** Gives the site exactly these hosts; answers those that belong to another site. */
export async function setHosts(db: Db, siteId: SiteId, hosts: string[]): Promise<string[]> {
  await sql`DELETE FROM site_host WHERE site_id = ${siteId}`.execute(db)
  const { rows: given } = await sql<Row<'site_host', 'host'>>`
    INSERT INTO site_host (host, site_id) SELECT host, ${siteId}::uuid FROM unnest(${hosts}::text[]) host
    ON CONFLICT DO NOTHING RETURNING host`.execute(db)
  return hosts.filter((host) => !given.some((row) => row.host === host))
}

/** Makes every process reload the site with its next poll. */
export async function raiseVersion(
  db: Db,
  siteId: SiteId,
  change: Partial<Row<'site', 'origin' | 'status'>> = {},
): Promise<void> {
  const values = assignments<'site'>({ ...change, version: sql`version + 1` })
  await sql`UPDATE site SET ${values} WHERE id = ${siteId}`.execute(db)
}

export async function findNewestConfig(db: Db, siteId: SiteId): Promise<StoredConfig | undefined> {
  const { rows } = await sql<StoredConfig>`SELECT version, config FROM site_config WHERE site_id = ${siteId}
    ORDER BY version DESC LIMIT 1`.execute(db)
  return rows[0]
}

/** False when another version was saved in between: the primary key decides, not a read before. */
export async function insertConfig(
  db: Db,
  _by: ConfigAuthority,
  siteId: SiteId,
  { version, config, restored = null }: StoredConfig & { restored?: number | null | undefined },
  savedBy: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`INSERT INTO site_config (site_id, version, config, saved_by, restored)
    VALUES (${siteId}, ${version}, ${JSON.stringify(config)}, ${savedBy}, ${restored})
    ON CONFLICT DO NOTHING`.execute(db)
  return numAffectedRows === 1n
}

export async function listConfigs(db: Db, siteId: SiteId): Promise<StoredConfig[]> {
  const { rows } = await sql<StoredConfig>`
    SELECT version, config FROM site_config WHERE site_id = ${siteId}`.execute(db)
  return rows
}

/** Only for sealing again: the content stays the same. */
export async function replaceConfig(db: Db, siteId: SiteId, stored: StoredConfig): Promise<void> {
  await sql`UPDATE site_config SET config = ${JSON.stringify(stored.config)}
    WHERE site_id = ${siteId} AND version = ${stored.version}`.execute(db)
}

export interface SiteRow extends Row<'site', 'id' | 'origin' | 'status'> {
  hosts: string[]
}

export async function listSites(db: Db): Promise<SiteRow[]> {
  const { rows } = await sql<SiteRow>`
    SELECT s.id, s.origin, s.status, array_remove(array_agg(h.host ORDER BY h.host), NULL) AS hosts
    FROM site s LEFT JOIN site_host h ON h.site_id = s.id GROUP BY s.id ORDER BY s.origin`.execute(db)
  return rows
}
