import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { SiteId, UserId } from './ids.ts'
import type { Db } from './postgres/db.ts'

export interface NewBlob {
  /** Random where it is not the id of something else. */
  id?: string
  /** Null for blobs of the site itself. */
  ownerId: UserId | null
  /**
   * The user's own picture, the WeChat picture shown while there is none, a personal data archive, pictures of the
   * site.
   */
  kind: 'avatar' | 'wechat-avatar' | 'export' | 'site-picture'
  type: string
  bytes: Buffer
}

export interface KeptBlob {
  id: string
  /** When it was stored, in whole epoch milliseconds. */
  time: number
}

export async function insertBlob(db: Db, siteId: SiteId, blob: NewBlob): Promise<KeptBlob> {
  const { id = randomUUID(), ownerId, kind, type, bytes } = blob
  const { rows } = await sql<{ time: number }>`
    INSERT INTO blob (site_id, id, owner_id, kind, type, bytes)
    VALUES (${siteId}, ${id}, ${ownerId}, ${kind}, ${type}, ${bytes})
    RETURNING floor(extract(epoch FROM created_at) * 1000)::float8 AS time`.execute(db)
  const [kept] = rows
  if (!kept) throw new Error('a blob was not kept')
  return { id, time: kept.time }
}

/** All blobs of a user of that kind but one, or all where none is to be kept. */
export async function deleteOtherBlobs(
  db: Db,
  siteId: SiteId,
  { ownerId, kind }: Pick<NewBlob, 'ownerId' | 'kind'>,
  keep: string | undefined,
): Promise<void> {
  await sql`DELETE FROM blob
    WHERE site_id = ${siteId} AND owner_id = ${ownerId} AND kind = ${kind} AND id IS DISTINCT FROM ${keep ?? null}`.execute(
    db,
  )
}

export interface Picture {
  type: string
  bytes: Buffer
  time: number
}

/** Undefined for an unknown user as for a user without a picture. */
export async function readAvatar(db: Db, siteId: SiteId, userId: UserId): Promise<Picture | undefined> {
  const { rows } = await sql<Picture>`
    SELECT b.type, b.bytes, floor(extract(epoch FROM b.created_at) * 1000)::float8 AS time
    FROM users u JOIN blob b ON b.site_id = u.site_id AND b.id = coalesce(u.avatar_id, u.wechat_avatar_id)
    WHERE u.site_id = ${siteId} AND u.id = ${userId}`.execute(db)
  return rows[0]
}

/** A logo or background; undefined for any other blob with that id. */
export async function readSitePicture(db: Db, siteId: SiteId, id: string): Promise<Buffer | undefined> {
  const { rows } = await sql<{ bytes: Buffer }>`
    SELECT bytes FROM blob WHERE site_id = ${siteId} AND id = ${id} AND kind = 'site-picture'`.execute(db)
  return rows[0]?.bytes
}

/** Which of them exist, marked as new: a job that drops old ones waits for this lock and finds them young. */
export async function renewSitePictures(db: Db, siteId: SiteId, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    WITH there AS (
      SELECT id FROM blob WHERE site_id = ${siteId} AND id = ANY(${ids}::uuid[]) AND kind = 'site-picture'
      ORDER BY id FOR UPDATE
    )
    UPDATE blob b SET created_at = clock_timestamp() FROM there
    WHERE b.site_id = ${siteId} AND b.id = there.id RETURNING b.id`.execute(db)
  return rows.map(({ id }) => id)
}
