import type { FeedbackFacts, FeedbackStatus } from '@hufu/contract/feedback-rules'
import { entriesShown, listed } from '@hufu/contract/feedback-rules'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../core/db.ts'
import type { SiteId, UserId } from '../../core/ids.ts'

export type Role = 'user' | 'merchant'

export interface HeldFeedback extends FeedbackFacts {
  userId: UserId
  lastSeq: number
}

/** Locks a conversation until the transaction ends, so that moves come one after the other. */
export async function holdFeedback(db: Db, siteId: SiteId, id: string): Promise<HeldFeedback | undefined> {
  const { rows } = await sql<HeldFeedback>`
    SELECT user_id AS "userId", status::int, last_seq AS "lastSeq", offered, user_texts AS "userTexts",
      merchant_texts AS "merchantTexts"
    FROM feedback WHERE site_id = ${siteId} AND id = ${id} FOR UPDATE`.execute(db)
  return rows[0]
}

export interface NewEntry {
  role: Role
  authorId: UserId
  message: string
  /** Of an explicit move. */
  status?: FeedbackStatus | undefined
  key?: string | undefined
}

/** Cut to milliseconds, not rounded: nothing that comes later is told as earlier. */
const now = sql`date_trunc('milliseconds', clock_timestamp())`

/** Begins a conversation with its first entry; false when there is one of that id already. */
export async function insertFeedback(
  db: Db,
  siteId: SiteId,
  id: string,
  { authorId, message, key = undefined }: NewEntry,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    WITH begun AS (
      INSERT INTO feedback (site_id, id, user_id, status, last_seq, user_texts, last_message_at, waiting_since, user_seen)
      VALUES (${siteId}, ${id}, ${authorId}, 0, 1, 1, ${now}, ${now}, 1)
      ON CONFLICT DO NOTHING RETURNING last_message_at
    ), listed AS (
      INSERT INTO feedback_of_user (site_id, user_id, feedback_id) SELECT ${siteId}, ${authorId}, ${id} FROM begun
    )
    INSERT INTO feedback_entry (site_id, feedback_id, seq, role, author_id, message, at, client_key)
    SELECT ${siteId}, ${id}, 1, 'user', ${authorId}, ${message}, last_message_at, ${key ?? null} FROM begun`.execute(db)
  return numAffectedRows === 1n
}

/** Adds an entry to a held conversation and writes how it stands then; answers its number. */
export async function addEntry(
  db: Db,
  siteId: SiteId,
  id: string,
  { role, authorId, message, status, key }: NewEntry,
  next: FeedbackFacts & { waiting: boolean },
): Promise<number> {
  const seen = sql.ref(role === 'user' ? 'user_seen' : 'merchant_seen')
  const { rows } = await sql<{ seq: number }>`
    WITH moved AS (
      UPDATE feedback SET last_seq = last_seq + 1, ${seen} = last_seq + 1, status = ${next.status}, offered = ${next.offered},
        user_texts = ${next.userTexts}, merchant_texts = ${next.merchantTexts},
        last_message_at = CASE WHEN ${message} <> '' THEN greatest(${now}, last_message_at) ELSE last_message_at END,
        waiting_since = CASE WHEN ${next.waiting} THEN coalesce(waiting_since, ${now}) END
      WHERE site_id = ${siteId} AND id = ${id} RETURNING last_seq, last_message_at
    )
    INSERT INTO feedback_entry (site_id, feedback_id, seq, role, author_id, message, status, at, client_key)
    SELECT ${siteId}, ${id}, last_seq, ${role}, ${authorId}, ${message}, ${status ?? null},
      CASE WHEN ${message} <> '' THEN last_message_at ELSE clock_timestamp() END, ${key ?? null}
    FROM moved RETURNING seq`.execute(db)
  const [added] = rows
  if (!added) throw new Error('an entry was added to no conversation')
  return added.seq
}

/** The number of a message that was sent before under the same key. */
export async function findSent(
  db: Db,
  siteId: SiteId,
  id: string,
  role: Role,
  key: string,
): Promise<number | undefined> {
  const { rows } = await sql<{ seq: number }>`
    SELECT seq FROM feedback_entry
    WHERE site_id = ${siteId} AND feedback_id = ${id} AND role = ${role} AND client_key = ${key}`.execute(db)
  return rows[0]?.seq
}

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
}

const columns = sql`f.id, f.user_id AS "userId", f.status::int, f.offered, f.user_texts AS "userTexts",
  f.merchant_texts AS "merchantTexts", f.last_seq AS "lastSeq", f.user_seen AS "userSeen", f.merchant_seen AS "merchantSeen",
  (extract(epoch FROM f.last_message_at) * 1000)::float8 AS time,
  (extract(epoch FROM f.waiting_since) * 1000)::float8 AS "waitingSince", u.mobile, e.content, e.oldest`

/** The entries of a conversation `f`, as one JSON text. */
const entries = (which: RawBuilder<unknown>) => sql`LATERAL (
  SELECT coalesce(json_agg(json_strip_nulls(json_build_object('seq', n.seq, 'role', n.role, 'message', n.message,
      'time', floor(extract(epoch FROM n.at) * 1000), 'status', n.status)) ORDER BY n.seq), '[]')::text AS content,
    min(n.seq) AS oldest
  FROM (SELECT * FROM feedback_entry n WHERE n.site_id = f.site_id AND n.feedback_id = f.id AND ${which}) n) e`

const newest = entries(sql`true ORDER BY n.seq DESC LIMIT ${sql.lit(entriesShown)}`)
const lastText = entries(sql`n.message <> '' ORDER BY n.seq DESC LIMIT 1`)

const people = sql`LEFT JOIN users u ON u.site_id = f.site_id AND u.id = f.user_id`

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
    SELECT ${columns} FROM feedback f ${people}, ${entries(which)} WHERE f.site_id = ${siteId} AND f.id = ${id}`.execute(
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

/** The person's own, newest message first. A person has few enough to sort them. */
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
      ORDER BY f.last_message_at DESC, f.id DESC LIMIT ${sql.lit(listed)}) f ${people}, ${contentOf(brief)}
    ORDER BY f.last_message_at DESC, f.id DESC`.execute(db)
  return { count: rows[0]?.count ?? 0, rows }
}

export interface Wanted {
  before?: Before | undefined
  brief?: boolean | undefined
  waiting?: boolean | undefined
  status?: number | undefined
  longestFirst?: boolean | undefined
  /** Ids from the first of these to the last: a reference is how an id begins. */
  ids?: [first: string, last: string] | undefined
  userId?: UserId | undefined
}

/** A list is counted no further: nobody pages through more by hand. */
const mostCounted = 1_000

/** Conversations of a site: newest message first, or those who wait longest. */
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
    ${people}, ${contentOf(brief)} ORDER BY ${order}`.execute(db)
  const { rows: counted } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM (SELECT FROM feedback f WHERE ${wanted} LIMIT ${sql.lit(mostCounted)}) counted`.execute(
    db,
  )
  return { count: counted[0]?.count ?? 0, rows }
}

/** Only ever forward. */
export async function noteSeen(db: Db, siteId: SiteId, id: string, role: Role, seq: number): Promise<void> {
  const seen = sql.ref(role === 'user' ? 'user_seen' : 'merchant_seen')
  await sql`UPDATE feedback SET ${seen} = least(${seq}::int, last_seq)
    WHERE site_id = ${siteId} AND id = ${id} AND ${seen} < least(${seq}::int, last_seq)`.execute(db)
}

export async function ownerOf(db: Db, siteId: SiteId, id: string): Promise<UserId | undefined> {
  const { rows } = await sql<{ userId: UserId }>`
    SELECT user_id AS "userId" FROM feedback WHERE site_id = ${siteId} AND id = ${id}`.execute(db)
  return rows[0]?.userId
}

/** How many of the person's own have something new, and how many of the site wait; neither is counted far. */
export async function countUnread(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  operator: boolean,
): Promise<{ user: number; merchant: number }> {
  const { rows } = await sql<{ user: number; merchant: number }>`
    SELECT (SELECT count(*)::int FROM feedback_of_user o JOIN feedback f ON f.site_id = o.site_id AND f.id = o.feedback_id
        WHERE o.site_id = ${siteId} AND o.user_id = ${userId} AND f.user_seen < f.last_seq) AS "user",
      (SELECT count(*)::int FROM (SELECT FROM feedback f
        WHERE ${operator} AND f.site_id = ${siteId} AND f.waiting_since IS NOT NULL LIMIT 100) w) AS merchant`.execute(
    db,
  )
  return rows[0] ?? { user: 0, merchant: 0 }
}

export interface SeenDevice {
  browser: string
  os: string
  region: string | null
  time: number
}

/** When the person came, and the browsers they are signed in with, latest first. */
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

/** That a side is to be told of an entry. */
export interface Telling {
  id: string
  to: Role
  seq: number
}

const toldAt = (to: Role) => sql.ref(to === 'user' ? 'user_told_at' : 'merchant_told_at')
const quiet = (to: Role, minutes: number) =>
  sql`(${toldAt(to)} IS NULL OR ${toldAt(to)} < now() - make_interval(mins => ${minutes}))`

/** Only where nobody was told a while ago: a lively conversation queues little. */
export async function queueTelling(
  tx: Db,
  siteId: SiteId,
  telling: Telling,
  quietMinutes: number,
  delaySeconds: number,
): Promise<void> {
  const data = JSON.stringify({ siteId, ...telling })
  await sql`INSERT INTO pgboss.job (name, data, retry_limit, retry_backoff, expire_seconds, start_after)
    SELECT 'feedback-notice', ${data}::jsonb, 5, true, 120, now() + make_interval(secs => ${delaySeconds})
    FROM feedback WHERE site_id = ${siteId} AND id = ${telling.id} AND ${quiet(telling.to, quietMinutes)}`.execute(tx)
}

/** True for whoever is to tell: the entry is still unseen and nobody was told a while ago. */
export async function claimTelling(
  db: Db,
  siteId: SiteId,
  { id, to, seq }: Telling,
  quietMinutes: number,
): Promise<boolean> {
  const seen = sql.ref(to === 'user' ? 'user_seen' : 'merchant_seen')
  const { numAffectedRows } = await sql`UPDATE feedback SET ${toldAt(to)} = now()
    WHERE site_id = ${siteId} AND id = ${id} AND ${seen} < ${seq} AND ${quiet(to, quietMinutes)}`.execute(db)
  return numAffectedRows === 1n
}

export interface Addressee {
  email: string | null
  mobile: string | null
  mobilePrefix: string | null
  openid: string | null
  /** The words that are to be told of, and when they were written. */
  reply: string
  replyTime: number
}

/** How the person of a conversation can be reached; nobody for one who can't sign in any more. */
export async function readAddressee(
  db: Db,
  siteId: SiteId,
  id: string,
  seq: number,
  appId: string | undefined,
): Promise<Addressee | undefined> {
  const { rows } = await sql<Addressee>`
    SELECT u.email, u.mobile, u.mobile_prefix AS "mobilePrefix", e.message AS reply,
      (extract(epoch FROM e.at) * 1000)::float8 AS "replyTime",
      (SELECT i.value FROM user_identity i WHERE i.site_id = u.site_id AND i.user_id = u.id
        AND i.kind = ${`wechat.openid:${appId ?? ''}`} LIMIT 1) AS openid
    FROM feedback f JOIN users u ON u.site_id = f.site_id AND u.id = f.user_id
    JOIN feedback_entry e ON e.site_id = f.site_id AND e.feedback_id = f.id AND e.seq = ${seq}
    WHERE f.site_id = ${siteId} AND f.id = ${id} AND u.status = 'active'`.execute(db)
  return rows[0]
}
