import { type PictureUse, sitePicturePath } from '@hufu/contract/picture-rules'
import { AppError } from '../../platform/app-error.ts'
import { insertBlob, readSitePicture } from '../../platform/blobs.ts'
import { freeBuffer } from '../../platform/free-buffer.ts'
import { isUuid } from '../../platform/ids.ts'
import { pictureFor } from '../../platform/images/image.ts'
import { recordOperator } from '../../shared/audit/operator-log.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Caller } from '../../shared/sessions/sessions.ts'
import type { Site } from '../../shared/sites/sites.ts'

/** Stores a picture for the config to name; it belongs to the site, not to a user. */
export async function keepSitePicture(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  site: Site,
  { userId }: Caller,
  use: Exclude<PictureUse, 'feedback'>,
  file: Uint8Array,
): Promise<{ path: string }> {
  const { bytes } = await pictureFor(config, use, file)
  const id = await db.transaction().execute(async (tx) => {
    const kept = await insertBlob(tx, site.id, { ownerId: null, kind: 'site-picture', type: 'image/webp', bytes })
    const entry = { operator: userId, action: 'config.picture', target: kept.id, detail: { use } } as const
    await recordOperator(tx, site.id, entry)
    return kept.id
  })
  freeBuffer(bytes)
  return { path: sitePicturePath(id) }
}

export async function openSitePicture(
  { db }: Pick<Deps, 'db'>,
  site: Site,
  id: unknown,
): Promise<{ id: string; bytes: Buffer }> {
  if (typeof id !== 'string' || !isUuid(id)) throw new AppError('NOT_FOUND')
  const bytes = await readSitePicture(db, site.id, id)
  if (!bytes) throw new AppError('NOT_FOUND')
  return { id, bytes }
}
