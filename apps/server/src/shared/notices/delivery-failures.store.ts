import type { Pool } from 'pg'
import type { SiteId } from '../../platform/ids.ts'

/** How often a kind failed since it was last written, and the last code. */
export interface Noted {
  siteId: SiteId
  kind: string
  count: number
  code: number | null
}

/** In the order of the key: two processes that write the same rows wait for each other without a deadlock. */
const statement = `
  INSERT INTO trouble (site_id, kind, hour, count, last_at, code)
  SELECT site_id, kind, date_trunc('hour', now(), 'UTC'), count, now(), code
  FROM unnest($1::uuid[], $2::text[], $3::int[], $4::int[]) AS noted(site_id, kind, count, code)
  ORDER BY site_id, kind
  ON CONFLICT (site_id, kind, hour) DO UPDATE SET
    count = trouble.count + excluded.count, last_at = excluded.last_at, code = excluded.code`

/** Adds to the present hour, by the store's clock. */
export async function writeDeliveryFailures(pool: Pool, noted: Noted[]): Promise<void> {
  const column = <Name extends keyof Noted>(name: Name) => noted.map((one) => one[name])
  await pool.query(statement, [column('siteId'), column('kind'), column('count'), column('code')])
}
