import type { MadeFile } from '@hufu/contract/fields'
import { exportsADay } from '@hufu/contract/personal-data-rules'
import { sql } from 'kysely'
import type { SiteId, UserId } from '../../platform/ids.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { StepUp } from '../../shared/step-up/authority.ts'

const shown = sql`id, status, done, total, floor(extract(epoch FROM created_at) * 1000)::float8 AS time,
  floor(extract(epoch FROM expires_at) * 1000)::float8 AS expires`
const unfinished = sql`status IN ('waiting', 'running')`

/** Undefined while the user has an unfinished one: the unique index decides. */
export async function insertExport(
  db: Db,
  _by: StepUp<'secondKind'>,
  siteId: SiteId,
  userId: UserId,
  total: number,
): Promise<MadeFile | undefined> {
  const { rows } = await sql<MadeFile>`
    INSERT INTO data_export (site_id, user_id, total) VALUES (${siteId}, ${userId}, ${total})
    ON CONFLICT (site_id, user_id) WHERE ${unfinished} DO NOTHING RETURNING ${shown}`.execute(db)
  return rows[0]
}

/**
 * Seconds to wait where the user began more in the last 24 hours than allowed, otherwise 0. Asked after the newest was
 * inserted: it blocks any other, so the count is right. Failed ones aren't counted.
 */
export async function exportWait(tx: Db, siteId: SiteId, userId: UserId): Promise<number> {
  const { rows } = await sql<{ wait: number }>`
    SELECT ceil(extract(epoch FROM created_at + interval '24 hours' - clock_timestamp()))::float8 AS wait
    FROM data_export WHERE site_id = ${siteId} AND user_id = ${userId} AND status <> 'failed'
      AND created_at > clock_timestamp() - interval '24 hours'
    ORDER BY created_at DESC OFFSET ${exportsADay} LIMIT 1`.execute(tx)
  return rows[0]?.wait ?? 0
}

/** Queued in the transaction of its cause; final failures go to a queue of their own. */
export async function queueExport(tx: Db, siteId: SiteId, userId: UserId, id: string): Promise<void> {
  await enqueue(tx, 'data-export', { siteId, userId, id }, { timeout: 300, deadLetter: 'data-export-failed' })
}

export async function listExports(db: Db, siteId: SiteId, userId: UserId): Promise<MadeFile[]> {
  const { rows } = await sql<MadeFile>`
    SELECT ${shown} FROM data_export WHERE site_id = ${siteId} AND user_id = ${userId}
      AND coalesce(expires_at, created_at + interval '1 day') > clock_timestamp()
    ORDER BY created_at DESC LIMIT 100`.execute(db)
  return rows
}

/** False when it is finished, or the user was erased. */
export async function noteProgress(db: Db, siteId: SiteId, userId: UserId, id: string, done: number): Promise<boolean> {
  const { numAffectedRows } = await sql`UPDATE data_export SET status = 'running', done = ${done}
    WHERE site_id = ${siteId} AND user_id = ${userId} AND id = ${id} AND ${unfinished}`.execute(db)
  return numAffectedRows === 1n
}

/** The row decides whether the archive is stored: of two that finish at once one is, and none for an erased user. */
export async function finishExport(tx: Db, siteId: SiteId, userId: UserId, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE data_export SET status = 'done', done = total, expires_at = clock_timestamp() + interval '24 hours'
    WHERE site_id = ${siteId} AND user_id = ${userId} AND id = ${id} AND ${unfinished}`.execute(tx)
  return numAffectedRows === 1n
}

export async function failExport(db: Db, siteId: SiteId, userId: UserId, id: string): Promise<void> {
  await sql`UPDATE data_export SET status = 'failed'
    WHERE site_id = ${siteId} AND user_id = ${userId} AND id = ${id} AND ${unfinished}`.execute(db)
}

export interface ArchiveFile {
  bytes: Buffer
  /** 20261115, the day in China on which it was begun. */
  day: string
}

/** One that can be downloaded; undefined for another user's. */
export async function findArchive(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  id: string,
): Promise<ArchiveFile | undefined> {
  const { rows } = await sql<ArchiveFile>`
    SELECT b.bytes, to_char(e.created_at AT TIME ZONE 'Asia/Shanghai', 'YYYYMMDD') AS day
    FROM data_export e JOIN blob b ON b.site_id = e.site_id AND b.id = e.id AND b.owner_id = e.user_id
    WHERE e.site_id = ${siteId} AND e.user_id = ${userId} AND e.id = ${id} AND e.status = 'done'
      AND e.expires_at > clock_timestamp()`.execute(db)
  return rows[0]
}
