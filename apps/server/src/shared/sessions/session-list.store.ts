import type { SignedInDevice } from '@hufu/contract/devices'
import { sql } from 'kysely'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { absoluteDays, idleDays } from './sessions.store.ts'

export interface SessionPage {
  count: number
  data: Omit<SignedInDevice, 'current'>[]
}

/** Whether a session `s`, last used as `a` says, is live. */
export const letsIn = sql<boolean>`(s.ended_at IS NULL
  AND s.created_at > clock_timestamp() - make_interval(days => ${absoluteDays})
  AND coalesce(a.last_access, s.created_at) > clock_timestamp() - make_interval(days => ${idleDays}))`

/** A page of the live sessions, newest first, and their number. */
export async function listSessions(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  { top, skip }: { top: number; skip: number },
): Promise<SessionPage> {
  const { rows } = await sql<SessionPage>`
    WITH live AS (
      SELECT s.*, coalesce(a.last_access, s.created_at) AS last_access FROM session s
      LEFT JOIN session_access a ON a.site_id = s.site_id AND a.user_id = s.user_id AND a.session_id = s.id
      WHERE s.site_id = ${siteId} AND s.user_id = ${userId} AND ${letsIn}
    ), page AS (
      SELECT * FROM live ORDER BY created_at DESC, id LIMIT ${top} OFFSET ${skip}
    )
    SELECT (SELECT count(*)::int FROM live) AS count,
      (SELECT coalesce(jsonb_agg(jsonb_build_object('id', id, 'browser', browser, 'device', device, 'os', os,
          'ip', host(address), 'region', region,
          'time', floor(extract(epoch FROM created_at) * 1000),
          'lastAccess', floor(extract(epoch FROM last_access) * 1000)) ORDER BY created_at DESC, id), '[]')
        FROM page) AS data`.execute(db)
  return rows[0] ?? { count: 0, data: [] }
}
