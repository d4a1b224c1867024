import { sql } from 'kysely'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Db, Row } from '../../platform/postgres/db.ts'
import { recordUserEvent } from '../../shared/events/record-event.ts'
import type { Authority } from '../../shared/step-up/authority.ts'
import { accountStatus } from '../../shared/users/account-status.ts'

/** Until the transaction ends no other one changes who is an ADMIN of the site. */
export async function lockRights(db: Db, siteId: SiteId): Promise<void> {
  await sql`SELECT FROM site WHERE id = ${siteId} FOR NO KEY UPDATE`.execute(db)
}

/**
 * The effective ADMINs: active, and with access to the back-office; `staying` leaves out those who are closing their
 * account.
 */
export async function listAdmins(db: Db, siteId: SiteId, { staying = false } = {}): Promise<UserId[]> {
  const { rows } = await sql<{ id: UserId }>`
    SELECT u.id FROM permission p JOIN users u ON u.site_id = p.site_id AND u.id = p.user_id
    WHERE p.site_id = ${siteId} AND p.area = 'MERCHANT' AND p.action IN ('READ', 'ADMIN') AND ${accountStatus} = 'active'
      AND NOT (${staying} AND EXISTS (SELECT FROM deletion d WHERE d.site_id = u.site_id AND d.user_id = u.id))
    GROUP BY u.id HAVING count(*) = 2`.execute(db)
  return rows.map(({ id }) => id)
}

/** Sets the actions of the area MERCHANT; those that stay keep the time of their grant. Answers the former ones. */
export async function replaceRights(
  db: Db,
  _by: Authority,
  siteId: SiteId,
  userId: UserId,
  actions: readonly string[],
): Promise<string[]> {
  const { rows: former } = await sql<Row<'permission', 'action'>>`SELECT action FROM permission
    WHERE site_id = ${siteId} AND user_id = ${userId} AND area = 'MERCHANT'`.execute(db)
  const had = former.map(({ action }) => action)
  const taken = had.filter((action) => !actions.includes(action))
  const gained = actions.filter((action) => !had.includes(action))
  if (taken.length > 0) {
    await sql`DELETE FROM permission WHERE site_id = ${siteId} AND user_id = ${userId} AND area = 'MERCHANT'
      AND action = ANY (${taken})`.execute(db)
  }
  if (actions.length > 0) {
    await sql`INSERT INTO permission (site_id, user_id, area, action)
      SELECT ${siteId}::uuid, ${userId}::uuid, 'MERCHANT', action FROM unnest(${actions}::text[]) action
      ON CONFLICT DO NOTHING`.execute(db)
  }
  if (gained.length > 0) await recordUserEvent(db, siteId, userId, 'operator.granted', gained)
  if (taken.length > 0) await recordUserEvent(db, siteId, userId, 'operator.revoked', taken)
  return had
}

export interface AdminContact {
  id: UserId
  email: string
}

/** Every active ADMIN of the site who has an e-mail address. */
export async function listAdminContacts(db: Db, siteId: SiteId): Promise<AdminContact[]> {
  const ids = await listAdmins(db, siteId)
  if (ids.length === 0) return []
  const { rows } = await sql<AdminContact>`SELECT id, email FROM users
    WHERE site_id = ${siteId} AND id = ANY(${ids}) AND email IS NOT NULL`.execute(db)
  return rows
}

/** For how long a new ADMIN can't export, in hours. */
const settlingHours = 72

/** Until when the right ADMIN of this user is too new for an export, in epoch milliseconds; undefined where it isn't. */
export async function settlingUntil(db: Db, siteId: SiteId, userId: UserId): Promise<number | undefined> {
  const { rows } = await sql<{ until: number }>`
    SELECT ceil(extract(epoch FROM granted_at + make_interval(hours => ${settlingHours})) * 1000)::float8 AS until
    FROM permission WHERE site_id = ${siteId} AND user_id = ${userId} AND area = 'MERCHANT' AND action = 'ADMIN'
      AND granted_at > clock_timestamp() - make_interval(hours => ${settlingHours})`.execute(db)
  return rows[0]?.until
}
