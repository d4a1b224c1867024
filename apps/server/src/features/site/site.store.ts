import type { SiteConfig } from '@hufu/contract/site'
import { sql } from 'kysely'
import type { SiteId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { ConfigAuthority } from '../../shared/step-up/authority.ts'

export interface StoredConfig {
  version: number
  config: SiteConfig
}

/** False when another site has the origin already. */
export async function insertSite(db: Db, siteId: SiteId, origin: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('site')
    .values({ id: siteId, origin })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

/** Gives the site exactly these hosts; answers those that belong to another site. */
export async function setHosts(db: Db, siteId: SiteId, hosts: string[]): Promise<string[]> {
  await db.deleteFrom('site_host').where('site_id', '=', siteId).execute()
  const given = await db
    .insertInto('site_host')
    .values(hosts.map((host) => ({ host, site_id: siteId })))
    .onConflict((conflict) => conflict.doNothing())
    .returning('host')
    .execute()
  return hosts.filter((host) => !given.some((row) => row.host === host))
}

/** Makes every process reload the site with its next poll. */
export async function raiseVersion(
  db: Db,
  siteId: SiteId,
  change: { origin?: string; status?: 'active' | 'disabled' } = {},
): Promise<void> {
  await db
    .updateTable('site')
    .set({ ...change, version: sql`version + 1` })
    .where('id', '=', siteId)
    .execute()
}

export async function findNewestConfig(db: Db, siteId: SiteId): Promise<StoredConfig | undefined> {
  const row = await db
    .selectFrom('site_config')
    .select(['version', 'config'])
    .where('site_id', '=', siteId)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && { version: row.version, config: row.config as SiteConfig }
}

/** False when another version was saved in between: the primary key decides, not a read before. */
export async function insertConfig(
  db: Db,
  _by: ConfigAuthority,
  siteId: SiteId,
  { version, config, restored = null }: StoredConfig & { restored?: number | null | undefined },
  savedBy: string,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('site_config')
    .values({ site_id: siteId, version, config: JSON.stringify(config), saved_by: savedBy, restored })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

export async function listConfigs(db: Db, siteId: SiteId): Promise<StoredConfig[]> {
  const rows = await db.selectFrom('site_config').select(['version', 'config']).where('site_id', '=', siteId).execute()
  return rows.map((row) => ({ version: row.version, config: row.config as SiteConfig }))
}

/** Only for sealing again: the content stays the same. */
export async function replaceConfig(db: Db, siteId: SiteId, stored: StoredConfig): Promise<void> {
  await db
    .updateTable('site_config')
    .set({ config: JSON.stringify(stored.config) })
    .where('site_id', '=', siteId)
    .where('version', '=', stored.version)
    .execute()
}

export interface SiteRow {
  id: SiteId
  origin: string
  status: 'active' | 'disabled'
  hosts: string[]
}

export async function listSites(db: Db): Promise<SiteRow[]> {
  return await db
    .selectFrom('site')
    .leftJoin('site_host', 'site_host.site_id', 'site.id')
    .select(['site.id', 'site.origin', 'site.status'])
    .select(sql<string[]>`array_remove(array_agg(site_host.host ORDER BY site_host.host), NULL)`.as('hosts'))
    .groupBy('site.id')
    .orderBy('site.origin')
    .execute()
}
