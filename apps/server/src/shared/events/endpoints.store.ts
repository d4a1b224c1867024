import { sql } from 'kysely'
import type { SiteId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'

interface ConfiguredEndpoint {
  id: string
  url: string
}

/**
 * Makes the endpoints those of the config, in the transaction that saves it. A new one begins with the events from now
 * on; one that moves to another URL is active again.
 */
export async function setEndpoints(tx: Db, siteId: SiteId, endpoints: ConfiguredEndpoint[]): Promise<void> {
  const [ids, urls] = [endpoints.map(({ id }) => id), endpoints.map(({ url }) => url)]
  await sql`DELETE FROM delivery WHERE site_id = ${siteId} AND endpoint_id IN (
    SELECT id FROM endpoint WHERE site_id = ${siteId} AND id <> ALL(${ids}::text[]))`.execute(tx)
  await sql`DELETE FROM endpoint WHERE site_id = ${siteId} AND id <> ALL(${ids}::text[])`.execute(tx)
  if (endpoints.length === 0) return
  await sql`INSERT INTO endpoint AS e (site_id, id, url, pos)
    SELECT ${siteId}::uuid, given.id, given.url, coalesce((SELECT last FROM event_head WHERE site_id = ${siteId}), 0)
    FROM unnest(${ids}::text[], ${urls}::text[]) given (id, url)
    ON CONFLICT (site_id, id) DO UPDATE SET url = excluded.url, disabled_at = NULL, disabled_for = NULL, failures = 0,
      rest_until = NULL, next_at = clock_timestamp() WHERE e.url <> excluded.url`.execute(tx)
}
