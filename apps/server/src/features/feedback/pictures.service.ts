import { randomUUID } from 'node:crypto'
import type { FeedbackPicture } from '@hufu/contract/feedback'
import { picturesADay } from '@hufu/contract/feedback-rules'
import { AppError } from '../../platform/app-error.ts'
import { freeBuffer } from '../../platform/free-buffer.ts'
import { isUuid } from '../../platform/ids.ts'
import { pictureFor } from '../../platform/images/image.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Caller } from '../../shared/sessions/sessions.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { lockUser } from '../users/user.store.ts'
import { insertPicture, pictureWait, readPicture } from './pictures.store.ts'

/** Whoever keeps on handing over is refused; those that were never sent are counted, too, as they are kept for a day. */
async function requireFew(db: Db, site: Site, { userId, user }: Caller): Promise<void> {
  const most = user.permission.MERCHANT?.includes('WRITE') ? picturesADay.merchant : picturesADay.user
  const retryAfter = await pictureWait(db, site.id, userId, most)
  if (retryAfter > 0) throw new AppError('TOO_MANY_REQUESTS', { retryAfter })
}

/** Keeps a picture until a message takes it up. */
export async function keepPicture(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  site: Site,
  caller: Caller,
  file: Uint8Array,
): Promise<FeedbackPicture> {
  // Before it is drawn, which is dear, and again when it is certain which ones came first.
  await requireFew(db, site, caller)
  const picture = { id: randomUUID(), ...(await pictureFor(config, 'feedback', file)) }
  await db.transaction().execute(async (tx) => {
    // One at a time of a person, and none of somebody who is being erased.
    if (!(await lockUser(tx, site.id, caller.userId))) throw new AppError('SESSION_REMOVED')
    await requireFew(tx, site, caller)
    await insertPicture(tx, site.id, caller.userId, picture)
  })
  freeBuffer(picture.bytes)
  return picture
}

/** One that the caller may not see is answered like one that never was; null where they have it already. */
export async function openPicture(
  { db }: Pick<Deps, 'db'>,
  site: Site,
  { userId, user }: Caller,
  id: unknown,
  had: boolean,
): Promise<Buffer | null> {
  const operator = user.permission.MERCHANT?.includes('READ') ?? false
  const known = typeof id === 'string' && isUuid(id)
  const bytes = known ? await readPicture(db, site.id, id, { userId, operator, had }) : undefined
  if (bytes === undefined) throw new AppError('NOT_FOUND')
  return bytes
}
