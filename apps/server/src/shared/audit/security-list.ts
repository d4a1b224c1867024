import type { SecurityEntry } from '@hufu/contract/security'
import { sql } from 'kysely'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { ipRegionText } from '../sessions/ip-region.ts'

/** A list is counted up to here; older entries are found in other ways. */
const mostCounted = 1000
/** Everyone can cause failures at an account: their number is limited, so that changes of the account stay visible. */
const mostFailures = 100

const failure = sql`event LIKE '%.failed'`

export interface SecurityRow {
  id: string
  time: number
  event: string
  ip: string | null
  detail: Record<string, unknown>
}

export interface Counted<Row> {
  count: number
  more: boolean
  data: Row[]
}

/** The security log of an account, newest first; failures as far back as the other entries go. */
export async function listSecurity(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  { top, skip }: { top: number; skip: number },
): Promise<Counted<SecurityRow>> {
  const own = sql`SELECT * FROM security_log WHERE site_id = ${siteId} AND user_id = ${userId}`
  const { rows } = await sql<Counted<SecurityRow>>`
    WITH entries AS (
      ${own} AND NOT ${failure} ORDER BY at DESC, id LIMIT ${mostCounted + 1}
    ), failures AS (
      ${own} AND ${failure} AND at >= (SELECT CASE WHEN count(*) > ${mostCounted} THEN min(at) ELSE '-infinity' END FROM entries)
      ORDER BY at DESC, id LIMIT ${mostFailures + 1}
    ), found AS (
      (SELECT * FROM entries ORDER BY at DESC, id LIMIT ${mostCounted})
      UNION ALL (SELECT * FROM failures ORDER BY at DESC, id LIMIT ${mostFailures})
    ), page AS (
      SELECT * FROM found ORDER BY at DESC, id LIMIT ${top} OFFSET ${skip}
    )
    SELECT (SELECT count(*)::int FROM found) AS count,
      (SELECT count(*) > ${mostCounted} FROM entries) OR (SELECT count(*) > ${mostFailures} FROM failures) AS more,
      (SELECT coalesce(jsonb_agg(jsonb_build_object('id', id, 'time', floor(extract(epoch FROM at) * 1000), 'event', event,
          'ip', host(address), 'detail', detail) ORDER BY at DESC, id), '[]') FROM page) AS data`.execute(db)
  return rows[0] ?? { count: 0, more: false, data: [] }
}

/** The value if it is text. */
export const detailText = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** Only fields that are named here are shown of an entry. */
export function entryOf({ id, time, event, ip: own, detail }: SecurityRow): SecurityEntry {
  // A decision about another browser shows that browser, its address too.
  const ip = detailText(detail.ip) ?? own
  return {
    // Failures that are summed by the minute have the same id in every minute.
    id: `${id} ${time}`,
    time,
    event,
    ip,
    region: detailText(detail.region) ?? (ip ? ipRegionText(ip) : undefined) ?? null,
    method: detailText(detail.method) ?? detailText(detail.way),
    browser: detailText(detail.browser),
    os: detailText(detail.os),
    count: typeof detail.count === 'number' ? detail.count : null,
  }
}
