import { cleanNickname } from '@hufu/contract/account-rules'
import type { Preference } from '@hufu/contract/profile'
import { AppError } from '../../platform/app-error.ts'
import { deleteOtherBlobs, insertBlob } from '../../platform/blobs.ts'
import type { UserId } from '../../platform/ids.ts'
import { squarePicture } from '../../platform/images/image.ts'
import type { Deps } from '../../shared/deps.ts'
import { invalidateUser } from '../../shared/sessions/sessions.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { mergePreference, type PreferenceChange, setAvatar, setNickname } from './profile.store.ts'

type Needs = Pick<Deps, 'db' | 'cache'>

export async function changeNickname(deps: Needs, site: Site, userId: UserId, typed: string): Promise<null> {
  const nickname = cleanNickname(typed)
  if (nickname === undefined) throw new AppError('NICKNAME_INVALID', { field: 'nickname' })
  await setNickname(deps.db, site.id, userId, nickname)
  await invalidateUser(deps, site.id, userId)
  return null
}

export async function changePreference(
  deps: Needs,
  site: Site,
  userId: UserId,
  change: PreferenceChange,
): Promise<Preference> {
  const preference = await mergePreference(deps.db, site.id, userId, change)
  await invalidateUser(deps, site.id, userId)
  return preference
}

/** Stores the new picture and drops the former one. */
export async function changeAvatar(
  deps: Needs & Pick<Deps, 'config'>,
  site: Site,
  userId: UserId,
  file: Uint8Array,
): Promise<{ avatarTime: number }> {
  const bytes = await squarePicture(deps.config, file)
  const avatar = { ownerId: userId, kind: 'avatar', type: 'image/webp', bytes } as const
  const avatarTime = await deps.db.transaction().execute(async (tx) => {
    const { id, time } = await insertBlob(tx, site.id, avatar)
    // From here the user's row is locked: a parallel change sees, and drops, what the first has stored.
    if (!(await setAvatar(tx, site.id, userId, id))) throw new AppError('SESSION_REMOVED')
    await deleteOtherBlobs(tx, site.id, avatar, id)
    return time
  })
  await invalidateUser(deps, site.id, userId)
  return { avatarTime }
}
