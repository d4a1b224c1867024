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
  await db
    .insertInto('login_confirm')
    .values({
      site_id: siteId,
      ticket_hash: ticketHash,
      user_id: userId,
      mobile,
      browser_hash: browserHash,
      expires_at: sql`now() + interval '10 minutes'`,
    })
    .execute()
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
  const { numUpdatedRows } = await db
    .updateTable('login_confirm')
    .set({ spent_at: sql`now()` })
    .where('site_id', '=', siteId)
    .where('ticket_hash', '=', ticketHash)
    .where('spent_at', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** The account no longer shows a number that moves to another one; false when it has lost it already. */
export async function clearMobile(db: Db, siteId: SiteId, userId: UserId, mobile: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set({ mobile: null, mobile_prefix: null })
    .where('site_id', '=', siteId)
    .where('id', '=', userId)
    .where('mobile', '=', mobile)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}
