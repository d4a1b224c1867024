import type { FeedbackPicture } from '@hufu/contract/feedback'
import { sql } from 'kysely'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'

export async function insertPicture(
  db: Db,
  siteId: SiteId,
  authorId: UserId,
  { id, width, height, bytes }: FeedbackPicture & { bytes: Buffer },
): Promise<void> {
  await sql`INSERT INTO feedback_picture (site_id, id, author_id, width, height, bytes, created_at)
    VALUES (${siteId}, ${id}, ${authorId}, ${width}, ${height}, ${bytes}, clock_timestamp())`.execute(db)
}

/** Seconds to wait where a user uploaded the most allowed in the last 24 hours, otherwise 0. */
export async function pictureWait(db: Db, siteId: SiteId, authorId: UserId, most: number): Promise<number> {
  const { rows } = await sql<{ wait: number }>`
    SELECT ceil(extract(epoch FROM created_at + interval '24 hours' - clock_timestamp()))::float8 AS wait
    FROM feedback_picture WHERE site_id = ${siteId} AND author_id = ${authorId}
      AND created_at > clock_timestamp() - interval '24 hours'
    ORDER BY created_at DESC OFFSET ${most - 1} LIMIT 1`.execute(db)
  return rows[0]?.wait ?? 0
}

/**
 * Attaches pictures to an entry, in their order; false where one of them is not the author's, is attached already, is
 * named twice or doesn't exist. Locked in the order of their ids, so that two messages with the same ones wait for each
 * other.
 */
export async function attachPictures(
  db: Db,
  siteId: SiteId,
  { id, seq, authorId }: { id: string; seq: number; authorId: UserId },
  pictures: readonly string[],
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    WITH loose AS (
      SELECT id FROM feedback_picture
      WHERE site_id = ${siteId} AND id = ANY(${pictures}::uuid[]) AND author_id = ${authorId} AND feedback_id IS NULL
      ORDER BY id FOR UPDATE
    ), taken AS (
      UPDATE feedback_picture p SET feedback_id = ${id} FROM loose
      WHERE p.site_id = ${siteId} AND p.id = loose.id RETURNING p.id, p.width, p.height
    ), listed AS (
      SELECT count(*) AS count, jsonb_agg(jsonb_build_object('id', id, 'width', width, 'height', height)
        ORDER BY array_position(${pictures}::uuid[], id)) AS pictures FROM taken
    )
    UPDATE feedback_entry e SET pictures = listed.pictures FROM listed
    WHERE e.site_id = ${siteId} AND e.feedback_id = ${id} AND e.seq = ${seq} AND listed.count = ${pictures.length}`.execute(
    db,
  )
  return numAffectedRows === 1n
}

/**
 * For the user of its conversation and for operators; while it is attached to none, for its author alone. Null if the
 * browser has it.
 */
export async function readPicture(
  db: Db,
  siteId: SiteId,
  id: string,
  { userId, operator, had }: { userId: UserId; operator: boolean; had: boolean },
): Promise<Buffer | null | undefined> {
  const { rows } = await sql<{ bytes: Buffer | null }>`
    SELECT CASE WHEN NOT ${had} THEN p.bytes END AS bytes
    FROM feedback_picture p LEFT JOIN feedback f ON f.site_id = p.site_id AND f.id = p.feedback_id
    WHERE p.site_id = ${siteId} AND p.id = ${id}
      AND CASE WHEN p.feedback_id IS NULL THEN p.author_id = ${userId} ELSE ${operator} OR f.user_id = ${userId} END`.execute(
    db,
  )
  return rows[0]?.bytes
}
