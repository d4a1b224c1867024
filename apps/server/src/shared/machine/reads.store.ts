import { sql } from 'kysely'
import type { SiteId } from '../../platform/ids.ts'
import { counter } from '../../platform/metrics/metrics.ts'
import type { Db } from '../../platform/postgres/db.ts'

const readsTotal = counter('hufu_machine_reads_total', 'Reads through the management API, by site and call.')

/** Which client read by which call: one row an hour, with how often. The operator log shows it. */
export async function noteRead(db: Db, siteId: SiteId, operator: string, call: string): Promise<void> {
  readsTotal.add({ site: siteId, call })
  await sql`INSERT INTO machine_read AS r (site_id, at, operator, call)
    VALUES (${siteId}, date_trunc('hour', clock_timestamp()), ${operator}, ${call})
    ON CONFLICT (site_id, at, operator, call) DO UPDATE SET count = r.count + 1`.execute(db)
}
