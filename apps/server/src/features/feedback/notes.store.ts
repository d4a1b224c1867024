import { sql } from 'kysely'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'

export interface NoteRow {
  id: string
  authorId: UserId
  text: string
  time: number
}

const columns = sql`id, author_id AS "authorId", text, floor(extract(epoch FROM at) * 1000)::float8 AS time`

export async function listNotes(db: Db, siteId: SiteId, feedbackId: string): Promise<NoteRow[]> {
  const { rows } = await sql<NoteRow>`
    SELECT ${columns} FROM feedback_note WHERE site_id = ${siteId} AND feedback_id = ${feedbackId}
    ORDER BY at, id`.execute(db)
  return rows
}

export async function findNote(db: Db, siteId: SiteId, feedbackId: string, id: string): Promise<NoteRow | undefined> {
  const { rows } = await sql<NoteRow>`
    SELECT ${columns} FROM feedback_note
    WHERE site_id = ${siteId} AND feedback_id = ${feedbackId} AND id = ${id}`.execute(db)
  return rows[0]
}

/** Under the conversation's lock; undefined when the limit is reached. */
export async function insertNote(
  db: Db,
  siteId: SiteId,
  feedbackId: string,
  { id, authorId, text }: Omit<NoteRow, 'time'>,
  most: number,
): Promise<NoteRow | undefined> {
  const { rows } = await sql<NoteRow>`
    INSERT INTO feedback_note (site_id, feedback_id, id, author_id, text, at)
    SELECT ${siteId}, ${feedbackId}, ${id}, ${authorId}, ${text}, clock_timestamp()
    WHERE (SELECT count(*) FROM feedback_note WHERE site_id = ${siteId} AND feedback_id = ${feedbackId}) < ${most}
    RETURNING ${columns}`.execute(db)
  return rows[0]
}

/** Only the author's own. */
export async function deleteNote(
  db: Db,
  siteId: SiteId,
  feedbackId: string,
  id: string,
  authorId: UserId,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    DELETE FROM feedback_note WHERE site_id = ${siteId} AND feedback_id = ${feedbackId} AND id = ${id}
      AND author_id = ${authorId}`.execute(db)
  return numAffectedRows === 1n
}
