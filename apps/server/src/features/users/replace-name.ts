import { AppError } from '../../platform/app-error.ts'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Authority } from '../../shared/step-up/authority.ts'
import { giveName, takeName } from './users.store.ts'

const taken = { mobile: 'MOBILE_TAKEN', email: 'EMAIL_TAKEN', username: 'USERNAME_TAKEN' } as const

/**
 * The former name becomes free in the moment in which the new one is taken; in this order two changes never deadlock.
 */
export async function replaceName(
  tx: Db,
  by: Authority,
  siteId: SiteId,
  userId: UserId,
  kind: keyof typeof taken,
  former: string | undefined,
  value: string,
): Promise<void> {
  if (former === value) throw new AppError('UNCHANGED')
  if (!(await giveName(tx, by, siteId, userId, kind, value))) throw new AppError(taken[kind])
  if (former !== undefined) await takeName(tx, by, siteId, userId, kind, former)
}
