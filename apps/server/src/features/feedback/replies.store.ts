import type { QuickReply } from '@hufu/contract/feedback-desk'
import { sql } from 'kysely'
import type { SiteId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'

export async function listReplies(db: Db, siteId: SiteId): Promise<QuickReply[]> {
  const { rows } = await sql<QuickReply>`SELECT id, title, text FROM quick_reply WHERE site_id = ${siteId}`.execute(db)
  return rows
}

/** Until the transaction ends, so that parallel additions come one after the other. */
export async function holdReplies(tx: Db, siteId: SiteId): Promise<void> {
  await sql`SELECT FROM site WHERE id = ${siteId} FOR NO KEY UPDATE`.execute(tx)
}

export async function findReply(db: Db, siteId: SiteId, id: string): Promise<QuickReply | undefined> {
  const { rows } = await sql<QuickReply>`
    SELECT id, title, text FROM quick_reply WHERE site_id = ${siteId} AND id = ${id}`.execute(db)
  return rows[0]
}

/** Under the lock; false when the limit is reached. */
export async function insertReply(
  tx: Db,
  siteId: SiteId,
  { id, title, text }: QuickReply,
  most: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    INSERT INTO quick_reply (site_id, id, title, text) SELECT ${siteId}, ${id}, ${title}, ${text}
    WHERE (SELECT count(*) FROM quick_reply WHERE site_id = ${siteId}) < ${most}`.execute(tx)
  return numAffectedRows === 1n
}

export async function updateReply(db: Db, siteId: SiteId, { id, title, text }: QuickReply): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE quick_reply SET title = ${title}, text = ${text} WHERE site_id = ${siteId} AND id = ${id}`.execute(db)
  return numAffectedRows === 1n
}

/** The title of the reply that was there before. */
export async function deleteReply(db: Db, siteId: SiteId, id: string): Promise<string | undefined> {
  const { rows } = await sql<{ title: string }>`
    DELETE FROM quick_reply WHERE site_id = ${siteId} AND id = ${id} RETURNING title`.execute(db)
  return rows[0]?.title
}
