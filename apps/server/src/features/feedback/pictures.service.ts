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
import { actsAs } from '../../shared/step-up/operator-factor.ts'
import { lockUser } from '../users/user.store.ts'
import { insertPicture, pictureWait, readPicture } from './pictures.store.ts'

/** Limits uploads; pictures that were never sent count, too, as they are kept for a day. */
async function requireFew(db: Db, site: Site, { userId, user }: Caller): Promise<void> {
  const most = user.permission.MERCHANT?.includes('WRITE') ? picturesADay.merchant : picturesADay.user
  const retryAfter = await pictureWait(db, site.id, userId, most)
  if (retryAfter > 0) throw new AppError('TOO_MANY_REQUESTS', { retryAfter })
}

/** Stores a picture until a message attaches it. */
export async function keepPicture(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  site: Site,
  caller: Caller,
  file: Uint8Array,
): Promise<FeedbackPicture> {
  // Before decoding, which is costly, and again under the lock.
  await requireFew(db, site, caller)
  const picture = { id: randomUUID(), ...(await pictureFor(config, 'feedback', file)) }
  await db.transaction().execute(async (tx) => {
    // One upload at a time for each user, and none for a user who is being erased.
    if (!(await lockUser(tx, site.id, caller.userId))) throw new AppError('SESSION_REMOVED')
    await requireFew(tx, site, caller)
    await insertPicture(tx, site.id, caller.userId, picture)
  })
  freeBuffer(picture.bytes)
  return picture
}

/** One that the caller may not see is answered like an unknown one; null where the browser has it already. */
export async function openPicture(
  deps: Pick<Deps, 'db' | 'clock' | 'config'>,
  site: Site,
  caller: Caller,
  id: unknown,
  had: boolean,
): Promise<Buffer | null> {
  const operator = actsAs(deps, caller, 'READ')
  const known = typeof id === 'string' && isUuid(id)
  const bytes = known ? await readPicture(deps.db, site.id, id, { userId: caller.userId, operator, had }) : undefined
  if (bytes === undefined) throw new AppError('NOT_FOUND')
  return bytes
}
