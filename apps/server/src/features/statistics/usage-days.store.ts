import { sql } from 'kysely'
import type { SiteId } from '../../platform/ids.ts'
import type { Db, Row } from '../../platform/postgres/db.ts'
import { counterColumns, crowdColumns } from '../../shared/usage/usage-batch.ts'

const counters = Object.values(counterColumns)
const crowds = Object.values(crowdColumns)
const columns = [...counters, ...crowds]
const sums = [...counters.map((name) => `sum(${name})`), ...crowds.map((name) => `hll_union_agg(${name})`)]

export async function listSites(db: Db): Promise<SiteId[]> {
  const { rows } = await sql<Row<'site', 'id'>>`SELECT id FROM site`.execute(db)
  return rows.map(({ id }) => id)
}

/** Makes the days before `today` anew: the last ones, into which a late flush may have come, and any that is missing. */
export async function rollDays(db: Db, siteId: SiteId, today: Date, again: number): Promise<void> {
  await sql`
    INSERT INTO usage_day (site_id, day, ${sql.raw(columns.join(', '))})
    SELECT site_id, day, ${sql.raw(sums.join(', '))}
    FROM (SELECT *, china_day(hour) AS day FROM usage_hour WHERE site_id = ${siteId} AND hour < ${today}) hours
    WHERE day >= china_day(${today}) - ${again}::int
      OR NOT EXISTS (SELECT FROM usage_day d WHERE d.site_id = ${siteId} AND d.day = hours.day)
    GROUP BY site_id, day ORDER BY day
    ON CONFLICT (site_id, day) DO UPDATE SET ${sql.raw(columns.map((name) => `${name} = excluded.${name}`).join(', '))}`.execute(
    db,
  )
}

export async function deleteHours(db: Db, siteId: SiteId, before: Date): Promise<void> {
  await sql`DELETE FROM usage_hour WHERE site_id = ${siteId} AND hour < ${before}`.execute(db)
}
