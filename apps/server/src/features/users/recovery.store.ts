import type { RecoveryPurpose } from '@hufu/contract/recovery'
import { sql } from 'kysely'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'

/**
 * Ends a user's recovery, or only one for this purpose, and voids every ticket to it, within a transaction that holds the
 * user's lock. False when none was in progress; an expired one counts as none.
 */
export async function endRecovery(db: Db, siteId: SiteId, userId: UserId, purpose?: RecoveryPurpose): Promise<boolean> {
  await sql`DELETE FROM recovery_ticket WHERE site_id = ${siteId} AND user_id = ${userId}`.execute(db)
  const { rows } = await sql<{ live: boolean }>`
    DELETE FROM recovery WHERE site_id = ${siteId} AND user_id = ${userId} ${purpose ? sql`AND purpose = ${purpose}` : sql``}
    RETURNING expires_at > clock_timestamp() AS live`.execute(db)
  return rows[0]?.live ?? false
}
