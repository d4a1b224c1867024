import { AppError } from '../../platform/app-error.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Caller } from '../../shared/sessions/sessions.ts'
import { settlingUntil } from './rights.store.ts'

/**
 * A grant is the first step of a stolen operator account: its new ADMIN takes no users' data, and gives no client access
 * to it, while others can still notice.
 */
export async function requireSettledOperator(
  tx: Db,
  { siteId, userId }: Pick<Caller, 'siteId' | 'userId'>,
): Promise<void> {
  const until = await settlingUntil(tx, siteId, userId)
  if (until !== undefined) throw new AppError('OPERATOR_TOO_NEW', { until })
}
