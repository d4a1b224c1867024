import type { MadeFile } from '@hufu/contract/fields'
import type { WantedUsers } from '@hufu/contract/merchant-users'
import { sql } from 'kysely'
import type { SiteId, UserId } from '../../platform/ids.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { recordEvent } from '../../shared/events/record-event.ts'
import type { StepUp } from '../../shared/step-up/authority.ts'

const shown = sql`id, status, done, total, floor(extract(epoch FROM created_at) * 1000)::float8 AS time,
  floor(extract(epoch FROM expires_at) * 1000)::float8 AS expires`

/** Undefined while the operator has an unfinished one: the unique index decides. */
export async function insertExport(
  db: Db,
  _by: StepUp<'secondKind'>,
  siteId: SiteId,
  { operatorId, wanted, total }: { operatorId: UserId; wanted: WantedUsers; total: number },
): Promise<MadeFile | undefined> {
  const { rows } = await sql<MadeFile>`
    INSERT INTO user_export (site_id, id, operator_id, wanted, total)
    VALUES (${siteId}, gen_random_uuid(), ${operatorId}, ${JSON.stringify(wanted)}, ${total})
    ON CONFLICT (site_id, operator_id) WHERE status IN ('waiting', 'running') DO NOTHING RETURNING ${shown}`.execute(db)
  const [begun] = rows
  if (!begun) return undefined
  await recordEvent(db, siteId, { type: 'export.made', subject: operatorId, id: begun.id, user: operatorId })
  return begun
}

/**
 * Queued in the transaction of its cause. A try lasts two minutes at most; final failures go to a queue of their own.
 */
export async function queueExport(tx: Db, siteId: SiteId, id: string): Promise<void> {
  await enqueue(tx, 'user-export', { siteId, id }, { deadLetter: 'user-export-failed' })
}

const kept = sql`coalesce(expires_at, created_at + interval '1 day') > now()`

export async function listExports(db: Db, siteId: SiteId, operatorId: UserId): Promise<MadeFile[]> {
  const { rows } = await sql<MadeFile>`
    SELECT ${shown} FROM user_export WHERE site_id = ${siteId} AND operator_id = ${operatorId} AND ${kept}
    ORDER BY created_at DESC LIMIT 100`.execute(db)
  return rows
}

export interface Progress<Cursor> {
  wanted: WantedUsers
  parts: number
  /** Null at the beginning. */
  cursor: Cursor | null
}

/** Undefined when it is finished. */
export async function readProgress<Cursor>(db: Db, siteId: SiteId, id: string): Promise<Progress<Cursor> | undefined> {
  const { rows } = await sql<Progress<Cursor>>`
    SELECT wanted, parts, cursor FROM user_export
    WHERE site_id = ${siteId} AND id = ${id} AND status IN ('waiting', 'running')`.execute(db)
  return rows[0]
}

export interface Part {
  number: number
  rows: number
  bytes: Buffer
  /** Where the next part begins; undefined after the last one. */
  cursor: unknown
}

/** Stores the next part and its cursor in one transaction; false when another worker has written it. */
export async function keepPart(tx: Db, siteId: SiteId, id: string, part: Part): Promise<boolean> {
  const { number, rows, bytes, cursor } = part
  const last = cursor === undefined
  const { numAffectedRows } = await sql`
    UPDATE user_export SET parts = parts + 1, done = done + ${rows}, cursor = ${last ? null : JSON.stringify(cursor)}::jsonb,
      total = CASE WHEN ${last} THEN done + ${rows} ELSE greatest(total, done + ${rows}) END,
      status = CASE WHEN ${last} THEN 'done' ELSE 'running' END,
      expires_at = CASE WHEN ${last} THEN now() + interval '24 hours' END
    WHERE site_id = ${siteId} AND id = ${id} AND parts = ${number} AND status IN ('waiting', 'running')`.execute(tx)
  if (numAffectedRows !== 1n) return false
  await sql`INSERT INTO user_export_part (site_id, export_id, number, bytes)
    VALUES (${siteId}, ${id}, ${number}, ${bytes})`.execute(tx)
  return true
}

/** Deletes what was written so far. */
export async function failExport(db: Db, siteId: SiteId, id: string): Promise<void> {
  await sql`
    WITH failed AS (UPDATE user_export SET status = 'failed'
      WHERE site_id = ${siteId} AND id = ${id} AND status IN ('waiting', 'running') RETURNING id)
    DELETE FROM user_export_part p USING failed f WHERE p.site_id = ${siteId} AND p.export_id = f.id`.execute(db)
}

export interface ExportFile {
  parts: number
  /** 20261115, the day in China on which it was begun. */
  day: string
}

/** One that can be downloaded; undefined for another operator's. */
export async function findFile(
  db: Db,
  siteId: SiteId,
  operatorId: UserId,
  id: string,
): Promise<ExportFile | undefined> {
  const { rows } = await sql<ExportFile>`
    SELECT parts, to_char(created_at AT TIME ZONE 'Asia/Shanghai', 'YYYYMMDD') AS day FROM user_export
    WHERE site_id = ${siteId} AND id = ${id} AND operator_id = ${operatorId} AND status = 'done'
      AND expires_at > now()`.execute(db)
  return rows[0]
}

export async function readPart(db: Db, siteId: SiteId, id: string, number: number): Promise<Buffer | undefined> {
  const { rows } = await sql<{ bytes: Buffer }>`
    SELECT bytes FROM user_export_part
    WHERE site_id = ${siteId} AND export_id = ${id} AND number = ${number}`.execute(db)
  return rows[0]?.bytes
}
