import { sql } from 'kysely'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'

export interface Confirmation {
  userId: UserId
  mobile: string
}

export async function insertConfirmation(
  db: Db,
  siteId: SiteId,
  ticketHash: Buffer,
  { userId, mobile, browserHash }: Confirmation & { browserHash: Buffer },
): Promise<void> {
  await sql`INSERT INTO login_confirm (site_id, ticket_hash, user_id, mobile, browser_hash, expires_at)
    VALUES (${siteId}, ${ticketHash}, ${userId}, ${mobile}, ${browserHash}, now() + interval '10 minutes')`.execute(db)
}

/** Counts a use of the ticket by its browser; undefined when it is spent, expired, of another browser or overused. */
export async function useConfirmation(
  db: Db,
  siteId: SiteId,
  ticketHash: Buffer,
  browserHash: Buffer,
): Promise<Confirmation | undefined> {
  const { rows } = await sql<Confirmation>`
    UPDATE login_confirm SET tries = tries + 1
    WHERE site_id = ${siteId} AND ticket_hash = ${ticketHash} AND browser_hash = ${browserHash}
      AND spent_at IS NULL AND expires_at > clock_timestamp() AND tries < 20
    RETURNING user_id AS "userId", mobile`.execute(db)
  return rows[0]
}

/** True for exactly one of several parallel calls. */
export async function spendConfirmation(db: Db, siteId: SiteId, ticketHash: Buffer): Promise<boolean> {
  const { numAffectedRows } = await sql`UPDATE login_confirm SET spent_at = now()
    WHERE site_id = ${siteId} AND ticket_hash = ${ticketHash} AND spent_at IS NULL`.execute(db)
  return numAffectedRows === 1n
}

/** The account no longer shows a number that moves to another one; false when it has lost it already. */
export async function clearMobile(db: Db, siteId: SiteId, userId: UserId, mobile: string): Promise<boolean> {
  const { numAffectedRows } = await sql`UPDATE users SET mobile = NULL, mobile_prefix = NULL
    WHERE site_id = ${siteId} AND id = ${userId} AND mobile = ${mobile}`.execute(db)
  return numAffectedRows === 1n
}
