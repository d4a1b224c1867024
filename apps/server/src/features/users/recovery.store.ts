import type { RecoveryPurpose } from '@hufu/contract/recovery'
import { sql } from 'kysely'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'

/**
 * Ends a user's recovery, or only one for this purpose, and voids every ticket to it, within a transaction that holds the
 * user's lock. Answers what it was for; undefined when none was in progress, as an expired one is none.
 */
export async function endRecovery(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  purpose?: RecoveryPurpose,
): Promise<RecoveryPurpose | undefined> {
  await sql`DELETE FROM recovery_ticket WHERE site_id = ${siteId} AND user_id = ${userId}`.execute(db)
  const { rows } = await sql<{ live: boolean; ended: RecoveryPurpose }>`
    DELETE FROM recovery WHERE site_id = ${siteId} AND user_id = ${userId} ${purpose ? sql`AND purpose = ${purpose}` : sql``}
    RETURNING expires_at > clock_timestamp() AS live, purpose AS ended`.execute(db)
  const [found] = rows
  return found?.live ? found.ended : undefined
}
