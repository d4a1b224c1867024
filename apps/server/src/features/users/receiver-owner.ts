import { newUserId, type SiteId, type UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { findOwnerId, knowsBrowser } from './users.store.ts'

export interface ReceiverOwner {
  /** The account that the number or address belongs to. */
  userId: UserId | undefined
  /** Whether that account knows the browser. */
  known: boolean
}

/**
 * Without an account a browser is looked up all the same: the time of an answer must not reveal whether there is one.
 */
export async function findReceiverOwner(
  db: Db,
  siteId: SiteId,
  { kind, value }: { kind: 'mobile' | 'email'; value: string },
  browserHash: Buffer,
): Promise<ReceiverOwner> {
  const userId = await findOwnerId(db, siteId, kind, value)
  const known = await knowsBrowser(db, siteId, userId ?? newUserId(), browserHash)
  return { userId, known }
}
