import { sql } from 'kysely'
import type { SiteId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { displayName, shownNickname } from '../../shared/users/display-name.ts'

export interface Waiting {
  waiting: number
  waitingSince: number | null
}

/** Conversations that wait for the merchant, counted up to a limit. */
export async function readWaiting(db: Db, siteId: SiteId): Promise<Waiting> {
  const { rows } = await sql<Waiting>`
    SELECT count(*)::int AS waiting, floor(extract(epoch FROM min(waiting_since)) * 1000)::float8 AS "waitingSince"
    FROM (SELECT waiting_since FROM feedback WHERE site_id = ${siteId} AND waiting_since IS NOT NULL
      ORDER BY waiting_since, id LIMIT 1000) oldest`.execute(db)
  return rows[0] ?? { waiting: 0, waitingSince: null }
}

export interface WaitingTalk {
  id: string
  status: number
  since: number
  name: string | null
  mobile: string | null
  /** Of the last message; empty where that is nothing but pictures, null where there is none. */
  message: string | null
}

const oldestShown = 5

/** The longest waiting first. Users and texts are joined for those few alone. */
export async function readOldest(db: Db, siteId: SiteId): Promise<WaitingTalk[]> {
  const { rows } = await sql<WaitingTalk>`
    SELECT f.id, f.status::int, floor(extract(epoch FROM f.waiting_since) * 1000)::float8 AS since,
      ${sql.raw(shownNickname)} AS name, u.mobile, e.message
    FROM (SELECT site_id, id, user_id, status, waiting_since FROM feedback
      WHERE site_id = ${siteId} AND waiting_since IS NOT NULL ORDER BY waiting_since, id LIMIT ${sql.lit(oldestShown)}) f
    LEFT JOIN users u ON u.site_id = f.site_id AND u.id = f.user_id
    LEFT JOIN LATERAL (SELECT n.message FROM feedback_entry n
      WHERE n.site_id = f.site_id AND n.feedback_id = f.id AND (n.message <> '' OR n.pictures IS NOT NULL)
      ORDER BY n.seq DESC LIMIT 1) e ON true
    ORDER BY f.waiting_since, f.id`.execute(db)
  return rows
}

export interface Ratings {
  count: number
  average: number | null
}

/** Ratings of the last 30 days, by the newest thousand: exact enough. */
export async function readRatings(db: Db, siteId: SiteId): Promise<Ratings> {
  const { rows } = await sql<Ratings>`
    SELECT count(*)::int AS count, round(avg(rating), 1)::float8 AS average
    FROM (SELECT rating FROM feedback WHERE site_id = ${siteId} AND rated_at > now() - interval '30 days'
      ORDER BY rated_at DESC LIMIT 1000) newest`.execute(db)
  return rows[0] ?? { count: 0, average: null }
}

export interface NotedFailure {
  kind: string
  /** Within the last 24 hours, to the hour. */
  count: number
  time: number
  code: number | null
  /** Whether the last one was within the last hour, and the config wasn't saved since. */
  recent: boolean
}

/** Delivery failures of the last 24 hours. */
export async function readDeliveryFailures(db: Db, siteId: SiteId): Promise<NotedFailure[]> {
  const { rows } = await sql<NotedFailure>`
    SELECT kind, sum(count)::float8 AS count, floor(extract(epoch FROM max(last_at)) * 1000)::float8 AS time,
      (array_agg(code ORDER BY hour DESC))[1] AS code,
      max(last_at) > greatest(now() - interval '1 hour', (SELECT saved_at FROM site_config
        WHERE site_id = ${siteId} ORDER BY version DESC LIMIT 1)) AS recent
    FROM trouble WHERE site_id = ${siteId} AND hour > now() - interval '25 hours' AND last_at > now() - interval '24 hours'
    GROUP BY kind`.execute(db)
  return rows
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
      ${displayName} AS by
    FROM (SELECT *, CASE WHEN saved_by ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN saved_by::uuid END AS saver
      FROM site_config WHERE site_id = ${siteId} ORDER BY version DESC LIMIT 1) c
    LEFT JOIN users u ON u.site_id = c.site_id AND u.id = c.saver`.execute(db)
  return rows[0]
}

export interface OperatorActions {
  kind: 'granted' | 'exported' | 'machines'
  count: number
  time: number
}

/** What every ADMIN should notice in the operator log of the last 72 hours. */
export async function readOperatorActions(db: Db, siteId: SiteId): Promise<OperatorActions[]> {
  const { rows } = await sql<OperatorActions>`
    SELECT kind, count(*)::int AS count, floor(extract(epoch FROM max(at)) * 1000)::float8 AS time
    FROM (SELECT at, CASE action WHEN 'user.export' THEN 'exported' WHEN 'client.grant' THEN 'machines' ELSE 'granted' END AS kind FROM operator_log
      WHERE site_id = ${siteId} AND at > now() - interval '72 hours' AND (action IN ('user.export', 'client.grant')
        OR (action = 'user.rights' AND NOT (detail->'before') @> (detail->'after')))) actions
    GROUP BY kind ORDER BY kind DESC`.execute(db)
  return rows
}
