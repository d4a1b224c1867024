import { sitePicturePath } from '@hufu/contract/picture-rules'
import type { SiteConfig } from '@hufu/contract/site'
import { AppError } from '../../platform/app-error.ts'
import { renewSitePictures } from '../../platform/blobs.ts'
import { isUuid, type SiteId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'

const pictureFields = ['bg', 'vbg', 'logoIcon', 'logoImage'] as const
const path = sitePicturePath('')

/** Where a config names pictures: its own fields, and the logos of its clients. */
const picturesOf = (config: SiteConfig): { field: string; value: string | undefined }[] => [
  ...pictureFields.map((field) => ({ field, value: config[field] })),
  ...(config.clients ?? []).map(({ logo }, index) => ({ field: `clients.${index}.logo`, value: logo })),
]

/** Own pictures that the former config named nowhere. */
function newlyNamed(former: SiteConfig, next: SiteConfig): { field: string; id: string }[] {
  const before = picturesOf(former).map(({ value }) => value)
  return picturesOf(next).flatMap(({ field, value }) => {
    if (before.includes(value) || !value?.startsWith(path)) return []
    const id = value.slice(path.length).toLowerCase()
    return isUuid(id) ? [{ field, id }] : []
  })
}

/** Refuses to name a picture that upkeep has dropped; existing ones are protected from it until this is saved. */
export async function requirePictures(tx: Db, siteId: SiteId, former: SiteConfig, next: SiteConfig): Promise<void> {
  const named = newlyNamed(former, next)
  if (named.length === 0) return
  const ids = named.map(({ id }) => id)
  const there = await renewSitePictures(tx, siteId, ids)
  const gone = named.find(({ id }) => !there.includes(id))
  if (gone) throw new AppError('INPUT_INVALID', { field: gone.field, reason: '图片不存在或已过期，请重新上传' })
}
