import type { Preference } from '@hufu/contract/profile'
import { sql } from 'kysely'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'

export async function setNickname(db: Db, siteId: SiteId, userId: UserId, nickname: string): Promise<void> {
  await db.updateTable('users').set({ nickname }).where('site_id', '=', siteId).where('id', '=', userId).execute()
}

/** False when the user was erased. */
export async function setAvatar(db: Db, siteId: SiteId, userId: UserId, blobId: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set({ avatar_id: blobId })
    .where('site_id', '=', siteId)
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

export type PreferenceChange = { [Field in keyof Preference]?: Preference[Field] | null }

/** Merges in one statement, so that two parallel changes both count; null removes a field. */
export async function mergePreference(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  change: PreferenceChange,
): Promise<Preference> {
  const { preference } = await db
    .updateTable('users')
    .set({ preference: sql<string>`jsonb_strip_nulls(preference || ${JSON.stringify(change)}::jsonb)` })
    .where('site_id', '=', siteId)
    .where('id', '=', userId)
    .returning('preference')
    .executeTakeFirstOrThrow()
  return preference as Preference
}
