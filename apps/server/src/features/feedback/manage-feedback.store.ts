import type { ManagedFeedback } from '@hufu/contract/manage-feedback'
import { sql } from 'kysely'
import type { SiteId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Position } from '../../shared/machine/cursor.ts'

export type ManagedRow = ManagedFeedback & { key: string }

/** Newest message first: one that gets a message meanwhile moves to the first page. */
export async function listConversations(
  db: Db,
  siteId: SiteId,
  status: number | undefined,
  after: Position | undefined,
  top: number,
): Promise<ManagedRow[]> {
  const { rows } = await sql<ManagedRow>`
    SELECT f.id, f.user_id AS user, f.status::int, f.last_seq AS "lastSeq", f.last_message_at::text AS key,
      floor(extract(epoch FROM f.last_message_at) * 1000)::float8 AS time,
      floor(extract(epoch FROM f.waiting_since) * 1000)::float8 AS "waitingSince"
    FROM feedback f WHERE f.site_id = ${siteId} ${status === undefined ? sql`` : sql`AND f.status = ${status}`}
      ${after ? sql`AND (f.last_message_at, f.id) < (${after[0]}::timestamptz, ${after[1]}::uuid)` : sql``}
    ORDER BY f.last_message_at DESC, f.id DESC LIMIT ${top}`.execute(db)
  return rows
}
