import type { Preference } from '@hufu/contract/profile'
import { sql } from 'kysely'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Db, Row } from '../../platform/postgres/db.ts'
import { recordUserEvent } from '../../shared/events/record-event.ts'

export async function setNickname(db: Db, siteId: SiteId, userId: UserId, nickname: string): Promise<void> {
  await sql`UPDATE users SET nickname = ${nickname} WHERE site_id = ${siteId} AND id = ${userId}`.execute(db)
  await recordUserEvent(db, siteId, userId, 'user.updated', ['nickname'])
}

/** False when the user was erased. */
export async function setAvatar(db: Db, siteId: SiteId, userId: UserId, blobId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`UPDATE users SET avatar_id = ${blobId}
    WHERE site_id = ${siteId} AND id = ${userId}`.execute(db)
  if (numAffectedRows === 0n) return false
  await recordUserEvent(db, siteId, userId, 'user.updated', ['avatar'])
  return true
}

export type PreferenceChange = { [Field in keyof Preference]?: Preference[Field] | null }

/** Merges in one statement, so that two parallel changes both count; null removes a field. */
export async function mergePreference(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  change: PreferenceChange,
): Promise<Preference> {
  const { rows } = await sql<Row<'users', 'preference'>>`
    UPDATE users SET preference = jsonb_strip_nulls(preference || ${JSON.stringify(change)}::jsonb)
    WHERE site_id = ${siteId} AND id = ${userId} RETURNING preference`.execute(db)
  if (!rows[0]) throw new Error('the user was erased')
  await recordUserEvent(db, siteId, userId, 'user.updated', ['preference'])
  return rows[0].preference as Preference
}
