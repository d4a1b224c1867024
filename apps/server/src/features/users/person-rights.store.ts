import { sql } from 'kysely'
import { accountStatus } from '../../core/account-status.ts'
import type { Db } from '../../core/db.ts'
import type { SiteId, UserId } from '../../core/ids.ts'

/** Until the transaction ends nobody else changes who is an ADMIN of the site. */
export async function lockRights(db: Db, siteId: SiteId): Promise<void> {
  await sql`SELECT FROM site WHERE id = ${siteId} FOR NO KEY UPDATE`.execute(db)
}

/** Who can do everything: active, and let into the back-office at all; `staying` leaves out whoever closes their account. */
export async function listAdmins(db: Db, siteId: SiteId, { staying = false } = {}): Promise<UserId[]> {
  const { rows } = await sql<{ id: UserId }>`
    SELECT u.id FROM permission p JOIN users u ON u.site_id = p.site_id AND u.id = p.user_id
    WHERE p.site_id = ${siteId} AND p.area = 'MERCHANT' AND p.action IN ('READ', 'ADMIN') AND ${accountStatus} = 'active'
      AND NOT (${staying} AND EXISTS (SELECT FROM deletion d WHERE d.site_id = u.site_id AND d.user_id = u.id))
    GROUP BY u.id HAVING count(*) = 2`.execute(db)
  return rows.map(({ id }) => id)
}

/** Takes all actions of the area MERCHANT away and gives these; answers the former ones. */
export async function replaceRights(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  actions: readonly string[],
): Promise<string[]> {
  const former = await db
    .deleteFrom('permission')
    .where('site_id', '=', siteId)
    .where('user_id', '=', userId)
    .where('area', '=', 'MERCHANT')
    .returning('action')
    .execute()
  if (actions.length > 0) {
    await db
      .insertInto('permission')
      .values(actions.map((action) => ({ site_id: siteId, user_id: userId, area: 'MERCHANT', action })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
  return former.map(({ action }) => action)
}
