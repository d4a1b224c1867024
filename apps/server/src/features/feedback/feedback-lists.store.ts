import type { FeedbackRating } from '@hufu/contract/feedback'
import { entriesShown, type FeedbackFacts, listed } from '@hufu/contract/feedback-rules'
import { type RawBuilder, sql } from 'kysely'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'

export interface FeedbackRow extends FeedbackFacts {
  id: string
  userId: UserId
  mobile: string | null
  time: number
  waitingSince: number | null
  lastSeq: number
  userSeen: number
  merchantSeen: number
  /** A JSON text of entries in their order. */
  content: string
  oldest: number | null
  rating: FeedbackRating | null
}

const columns = sql`f.id, f.user_id AS "userId", f.status::int, f.offered, f.user_texts AS "userTexts",
  f.merchant_texts AS "merchantTexts", f.last_seq AS "lastSeq", f.user_seen AS "userSeen", f.merchant_seen AS "merchantSeen",
  (extract(epoch FROM f.last_message_at) * 1000)::float8 AS time,
  (extract(epoch FROM f.waiting_since) * 1000)::float8 AS "waitingSince", u.mobile, e.content, e.oldest,
  CASE WHEN f.rating IS NOT NULL THEN json_build_object('score', f.rating, 'words', f.rating_words,
    'time', floor(extract(epoch FROM f.rated_at) * 1000)) END AS rating`

/** The entries of a conversation `f`, as one JSON text. */
const entries = (which: RawBuilder<unknown>) => sql`LATERAL (
  SELECT coalesce(json_agg(json_strip_nulls(json_build_object('seq', n.seq, 'role', n.role, 'message', n.message,
      'time', floor(extract(epoch FROM n.at) * 1000), 'status', n.status, 'pictures', n.pictures)) ORDER BY n.seq), '[]')::text AS content,
    min(n.seq) AS oldest
  FROM (SELECT * FROM feedback_entry n WHERE n.site_id = f.site_id AND n.feedback_id = f.id AND ${which}) n) e`

const newest = entries(sql`true ORDER BY n.seq DESC LIMIT ${sql.lit(entriesShown)}`)
const lastText = entries(sql`n.message <> '' ORDER BY n.seq DESC LIMIT 1`)

const users = sql`LEFT JOIN users u ON u.site_id = f.site_id AND u.id = f.user_id`

export interface Part {
  before?: number | undefined
  after?: number | undefined
}

/** One conversation with the asked part of its entries. */
export async function readFeedback(db: Db, siteId: SiteId, id: string, part: Part): Promise<FeedbackRow | undefined> {
  const { before, after } = part
  const which =
    after !== undefined
      ? sql`n.seq > ${after} ORDER BY n.seq LIMIT ${sql.lit(entriesShown)}`
      : before !== undefined
        ? sql`n.seq < ${before} ORDER BY n.seq DESC LIMIT ${sql.lit(entriesShown)}`
        : sql`true ORDER BY n.seq DESC LIMIT ${sql.lit(entriesShown)}`
  const { rows } = await sql<FeedbackRow>`
    SELECT ${columns} FROM feedback f ${users}, ${entries(which)} WHERE f.site_id = ${siteId} AND f.id = ${id}`.execute(
    db,
  )
  return rows[0]
}

export interface Before {
  time: number
  id: string
}

const contentOf = (brief: boolean | undefined) => (brief ? lastText : newest)
const moment = (time: number) => sql`'epoch'::timestamptz + ${time}::float8 * interval '1 millisecond'`

const olderThan = (before: Before | undefined) =>
  before ? sql`AND (f.last_message_at, f.id) < (${moment(before.time)}, ${before.id}::uuid)` : sql``

/** The user's own, newest message first. Each user has few enough to sort them. */
export async function listOfUser(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  { before, brief }: { before?: Before | undefined; brief?: boolean | undefined },
): Promise<{ count: number; rows: FeedbackRow[] }> {
  const { rows } = await sql<FeedbackRow & { count: number }>`
    WITH own AS (
      SELECT f.*, count(*) OVER ()::int AS count FROM feedback_of_user o
      JOIN feedback f ON f.site_id = o.site_id AND f.id = o.feedback_id
      WHERE o.site_id = ${siteId} AND o.user_id = ${userId}
    )
    SELECT ${columns}, f.count FROM (
      SELECT * FROM own f WHERE true ${olderThan(before)}
      ORDER BY f.last_message_at DESC, f.id DESC LIMIT ${sql.lit(listed)}) f ${users}, ${contentOf(brief)}
    ORDER BY f.last_message_at DESC, f.id DESC`.execute(db)
  return { count: rows[0]?.count ?? 0, rows }
}

export interface Wanted {
  before?: Before | undefined
  brief?: boolean | undefined
  waiting?: boolean | undefined
  status?: number | undefined
  longestFirst?: boolean | undefined
  /** Ids from the first of these to the last: a reference is an id's prefix. */
  ids?: [first: string, last: string] | undefined
  userId?: UserId | undefined
}

/** A list is counted no further: longer ones aren't paged by hand. */
const mostCounted = 1_000

/** Conversations of a site: newest message first, or those waiting longest. */
export async function listOfSite(
  db: Db,
  siteId: SiteId,
  { before, brief, waiting, status, longestFirst, ids, userId }: Wanted,
): Promise<{ count: number; rows: FeedbackRow[] }> {
  const wanted = sql`f.site_id = ${siteId}
    ${waiting || longestFirst ? sql`AND f.waiting_since IS NOT NULL` : sql``}
    ${status === undefined ? sql`` : sql`AND f.status = ${status}`}
    ${ids ? sql`AND f.id BETWEEN ${ids[0]}::uuid AND ${ids[1]}::uuid` : sql``}
    ${userId ? sql`AND f.id IN (SELECT feedback_id FROM feedback_of_user o WHERE o.site_id = ${siteId} AND o.user_id = ${userId})` : sql``}`
  const onward = longestFirst
    ? before
      ? sql`AND (f.waiting_since, f.id) > (${moment(before.time)}, ${before.id}::uuid)`
      : sql``
    : olderThan(before)
  const order = longestFirst ? sql`f.waiting_since, f.id` : sql`f.last_message_at DESC, f.id DESC`
  const { rows } = await sql<FeedbackRow>`
    SELECT ${columns} FROM (SELECT * FROM feedback f WHERE ${wanted} ${onward} ORDER BY ${order} LIMIT ${sql.lit(listed)}) f
    ${users}, ${contentOf(brief)} ORDER BY ${order}`.execute(db)
  const { rows: counted } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM (SELECT FROM feedback f WHERE ${wanted} LIMIT ${sql.lit(mostCounted)}) counted`.execute(
    db,
  )
  return { count: counted[0]?.count ?? 0, rows }
}

export interface SeenDevice {
  browser: string
  os: string
  region: string | null
  time: number
}

/** When the user registered, and the browsers they are signed in with, latest first. */
export async function readDevices(
  db: Db,
  siteId: SiteId,
  userId: UserId,
): Promise<{ since: number; list: SeenDevice[] }> {
  const { rows } = await sql<{ since: number; list: SeenDevice[] }>`
    SELECT (extract(epoch FROM u.listed_at) * 1000)::float8 AS since,
      coalesce((SELECT json_agg(d) FROM (
        SELECT s.browser, s.os, s.region, (extract(epoch FROM s.created_at) * 1000)::float8 AS time FROM session s
        WHERE s.site_id = u.site_id AND s.user_id = u.id AND s.ended_at IS NULL ORDER BY s.created_at DESC, s.id LIMIT 5) d),
        '[]') AS list
    FROM users u WHERE u.site_id = ${siteId} AND u.id = ${userId}`.execute(db)
  return rows[0] ?? { since: 0, list: [] }
}
