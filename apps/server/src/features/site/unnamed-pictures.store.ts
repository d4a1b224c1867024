import type { PoolClient } from 'pg'
import type { SiteId } from '../../platform/ids.ts'

/** Time enough to save a config with a new picture. */
const old = "b.owner_id IS NULL AND b.kind = 'site-picture' AND b.created_at < clock_timestamp() - interval '7 days'"
const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

export async function sitesWithOldPictures(client: PoolClient): Promise<SiteId[]> {
  const { rows } = await client.query<{ id: SiteId }>(
    `SELECT id FROM site s WHERE EXISTS (SELECT FROM blob b WHERE b.site_id = s.id AND ${old})`,
  )
  return rows.map(({ id }) => id)
}

/** Those that no version of the config names. Each version is read once, however many pictures there are. */
export async function dropUnnamedPictures(client: PoolClient, siteId: SiteId): Promise<void> {
  await client.query(
    `WITH named AS MATERIALIZED (
       SELECT DISTINCT found[1]::uuid AS id FROM site_config c, regexp_matches(c.config::text, '${uuid}', 'gi') found
       WHERE c.site_id = $1
     )
     DELETE FROM blob b WHERE b.site_id = $1 AND ${old} AND NOT EXISTS (SELECT FROM named n WHERE n.id = b.id)`,
    [siteId],
  )
}
