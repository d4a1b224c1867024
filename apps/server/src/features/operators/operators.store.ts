import type { OperatorAction } from '@hufu/contract/operators'
import { sql } from 'kysely'
import type { SiteId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'

/** Which lines, and which page of them; missing fields are no condition. */
export interface WantedLines {
  operators?: string[] | undefined
  targets?: string[] | undefined
  action?: OperatorAction | undefined
  from?: number | undefined
  to?: number | undefined
  top: number
  skip: number
}

export interface LogLine {
  id: string
  time: number
  operator: string
  action: OperatorAction
  target: string | null
  detail: Record<string, unknown>
}

export interface LogPage {
  count: number
  more: boolean
  data: LogLine[]
}

/** Lines are counted and paged up to here; older ones are found by a time filter. */
const mostCounted = 1000

function conditions(siteId: SiteId, { operators, targets, action, from, to }: WantedLines) {
  return sql.join(
    [
      sql`site_id = ${siteId}`,
      ...(operators ? [sql`operator = ANY (${operators}::text[])`] : []),
      ...(targets ? [sql`target = ANY (${targets}::text[])`] : []),
      ...(action ? [sql`action = ${action}`] : []),
      ...(from === undefined ? [] : [sql`at >= to_timestamp(${from / 1000})`]),
      ...(to === undefined ? [] : [sql`at < to_timestamp(${to / 1000})`]),
    ],
    sql` AND `,
  )
}

/** The sums of an hour as lines at its beginning. */
const machineReads = (siteId: SiteId) => sql`
  SELECT site_id, at, md5(operator || ' ' || call)::uuid AS id, operator, 'client.read' AS action, call AS target,
    jsonb_build_object('count', count) AS detail
  FROM machine_read WHERE site_id = ${siteId}`

/** A page of the log, newest first. */
export async function listLines(db: Db, siteId: SiteId, wanted: WantedLines): Promise<LogPage> {
  const { rows } = await sql<LogPage>`
    WITH found AS (
      SELECT * FROM (
        (SELECT site_id, at, id, operator, action, target, detail FROM operator_log
          WHERE ${conditions(siteId, wanted)} ORDER BY at DESC, id LIMIT ${mostCounted + 1})
        UNION ALL
        (SELECT * FROM (${machineReads(siteId)}) reads WHERE ${conditions(siteId, wanted)}
          ORDER BY at DESC, id LIMIT ${mostCounted + 1})) lines
      ORDER BY at DESC, id LIMIT ${mostCounted + 1}
    ), page AS (
      SELECT * FROM (SELECT * FROM found ORDER BY at DESC, id LIMIT ${mostCounted}) counted
      ORDER BY at DESC, id LIMIT ${wanted.top} OFFSET ${wanted.skip}
    )
    SELECT (SELECT least(count(*), ${mostCounted})::int FROM found) AS count,
      (SELECT count(*) > ${mostCounted} FROM found) AS more,
      (SELECT coalesce(jsonb_agg(jsonb_build_object('id', id, 'time', floor(extract(epoch FROM at) * 1000),
          'operator', operator, 'action', action, 'target', target, 'detail', detail) ORDER BY at DESC, id), '[]')
        FROM page) AS data`.execute(db)
  return rows[0] ?? { count: 0, more: false, data: [] }
}
