import { cleanNickname } from '@hufu/contract/account-rules'
import type { Preference } from '@hufu/contract/profile'
import { AppError } from '../../platform/app-error.ts'
import { deleteOtherBlobs, insertBlob } from '../../platform/blobs.ts'
import type { UserId } from '../../platform/ids.ts'
import { squarePicture } from '../../platform/images/image.ts'
import type { Deps } from '../../shared/deps.ts'
import { changeUser } from '../../shared/sessions/change-user.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { mergePreference, type PreferenceChange, setAvatar, setNickname } from './profile.store.ts'

type Needs = Pick<Deps, 'db' | 'cache'>

export async function changeNickname(deps: Needs, site: Site, userId: UserId, typed: string): Promise<null> {
  const nickname = cleanNickname(typed)
  if (nickname === undefined) throw new AppError('NICKNAME_INVALID', { field: 'nickname' })
  await changeUser(deps, site.id, userId, (tx) => setNickname(tx, site.id, userId, nickname))
  return null
}

export async function changePreference(
  deps: Needs,
  site: Site,
  userId: UserId,
  change: PreferenceChange,
): Promise<Preference> {
  return await changeUser(deps, site.id, userId, (tx) => mergePreference(tx, site.id, userId, change))
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
  const avatarTime = await changeUser(deps, site.id, userId, async (tx) => {
    const { id, time } = await insertBlob(tx, site.id, avatar)
    // From here the user's row is locked: a parallel change sees, and drops, what the first has stored.
    if (!(await setAvatar(tx, site.id, userId, id))) throw new AppError('SESSION_REMOVED')
    await deleteOtherBlobs(tx, site.id, avatar, id)
    return time
  })
  return { avatarTime }
}
