import { sql } from 'kysely'
import type { Db } from '../../core/db.ts'
import type { SiteId } from '../../core/ids.ts'

export interface Waiting {
  waiting: number
  waitingSince: number | null
}

/** Conversations that wait for the merchant, counted as far as anybody wants to know. */
export async function readWaiting(db: Db, siteId: SiteId): Promise<Waiting> {
  const { rows } = await sql<Waiting>`
    SELECT count(*)::int AS waiting, floor(extract(epoch FROM min(waiting_since)) * 1000)::float8 AS "waitingSince"
    FROM (SELECT waiting_since FROM feedback WHERE site_id = ${siteId} AND waiting_since IS NOT NULL
      ORDER BY waiting_since, id LIMIT 1000) oldest`.execute(db)
  return rows[0] ?? { waiting: 0, waitingSince: null }
}

export interface LastSave {
  version: number
  time: number
  /** The operator's name; null where it was saved on the command line. */
  by: string | null
}

export async function readLastSave(db: Db, siteId: SiteId): Promise<LastSave | undefined> {
  const { rows } = await sql<LastSave>`
    SELECT c.version, floor(extract(epoch FROM c.saved_at) * 1000)::float8 AS time,
      coalesce(u.nickname, u.wechat_nickname, u.username) AS by
    FROM (SELECT *, CASE WHEN saved_by ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN saved_by::uuid END AS saver
      FROM site_config WHERE site_id = ${siteId} ORDER BY version DESC LIMIT 1) c
    LEFT JOIN users u ON u.site_id = c.site_id AND u.id = c.saver`.execute(db)
  return rows[0]
}
