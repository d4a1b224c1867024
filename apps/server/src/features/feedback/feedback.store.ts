import type { FeedbackFacts, FeedbackRole, FeedbackStatus } from '@hufu/contract/feedback-rules'
import { sql } from 'kysely'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'

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
  role: FeedbackRole
  authorId: UserId
  message: string
  /** Only pictures: its placeholder counts as no text. */
  wordless?: boolean | undefined
  /** Of an explicit move. */
  status?: FeedbackStatus | undefined
  key?: string | undefined
}

/** Truncated to milliseconds, not rounded: nothing that comes later appears as earlier. */
const now = sql`date_trunc('milliseconds', clock_timestamp())`

/** Begins a conversation with its first entry; false when there is one of that id already. */
export async function insertFeedback(
  db: Db,
  siteId: SiteId,
  id: string,
  { authorId, message, wordless, key = undefined }: NewEntry,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    WITH begun AS (
      INSERT INTO feedback (site_id, id, user_id, status, last_seq, user_texts, last_message_at, waiting_since, user_seen)
      VALUES (${siteId}, ${id}, ${authorId}, 0, 1, ${wordless ? 0 : 1}, ${now}, ${now}, 1)
      ON CONFLICT DO NOTHING RETURNING last_message_at
    ), listed AS (
      INSERT INTO feedback_of_user (site_id, user_id, feedback_id) SELECT ${siteId}, ${authorId}, ${id} FROM begun
    )
    INSERT INTO feedback_entry (site_id, feedback_id, seq, role, author_id, message, at, client_key)
    SELECT ${siteId}, ${id}, 1, 'user', ${authorId}, ${message}, last_message_at, ${key ?? null} FROM begun`.execute(db)
  return numAffectedRows === 1n
}

/** Appends an entry to a locked conversation and writes its new state; answers the entry's number. */
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
  role: FeedbackRole,
  key: string,
): Promise<number | undefined> {
  const { rows } = await sql<{ seq: number }>`
    SELECT seq FROM feedback_entry
    WHERE site_id = ${siteId} AND feedback_id = ${id} AND role = ${role} AND client_key = ${key}`.execute(db)
  return rows[0]?.seq
}

/** Only ever increases. */
export async function noteSeen(db: Db, siteId: SiteId, id: string, role: FeedbackRole, seq: number): Promise<void> {
  const seen = sql.ref(role === 'user' ? 'user_seen' : 'merchant_seen')
  await sql`UPDATE feedback SET ${seen} = least(${seq}::int, last_seq)
    WHERE site_id = ${siteId} AND id = ${id} AND ${seen} < least(${seq}::int, last_seq)`.execute(db)
}

export async function ownerOf(db: Db, siteId: SiteId, id: string): Promise<UserId | undefined> {
  const { rows } = await sql<{ userId: UserId }>`
    SELECT user_id AS "userId" FROM feedback WHERE site_id = ${siteId} AND id = ${id}`.execute(db)
  return rows[0]?.userId
}

/** The number of its newest entry; undefined when there is no such conversation on the site. */
export async function lastSeqOf(db: Db, siteId: SiteId, id: string): Promise<number | undefined> {
  const { rows } = await sql<{ seq: number }>`
    SELECT last_seq AS seq FROM feedback WHERE site_id = ${siteId} AND id = ${id}`.execute(db)
  return rows[0]?.seq
}

/**
 * How many of the user's own conversations have something new, and how many of the site wait; both counts are capped.
 */
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
