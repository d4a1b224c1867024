import { recoveryHours } from '@hufu/contract/personal-data-rules'
import type { RecoveryPurpose, RecoveryStanding } from '@hufu/contract/recovery'
import { sql } from 'kysely'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'

/** How long a new number can be set after the wait. */
const openDays = 7
/** From the beginning to the end of a recovery. */
export const wholeDays = recoveryHours / 24 + openDays

const ticketMinutes = 10
const mostTries = 40

export interface NewTicket {
  userId: UserId
  browserHash: Buffer
  /** The change whose former password opened it. */
  changeId: string | undefined
}

export async function insertTicket(
  db: Db,
  siteId: SiteId,
  ticketHash: Buffer,
  { userId, browserHash, changeId = undefined }: NewTicket,
): Promise<void> {
  await sql`
    INSERT INTO recovery_ticket (site_id, ticket_hash, user_id, browser_hash, change_id, expires_at)
    VALUES (${siteId}, ${ticketHash}, ${userId}, ${browserHash}, ${changeId ?? null},
      clock_timestamp() + make_interval(mins => ${ticketMinutes}))`.execute(db)
}

export interface Ticket {
  userId: UserId
  proved: boolean
  changeId: string | null
}

/** Counts a use by its browser; undefined when it is used up, expired, of another browser or overused. */
export async function useTicket(
  db: Db,
  siteId: SiteId,
  ticketHash: Buffer,
  browserHash: Buffer,
): Promise<Ticket | undefined> {
  const { rows } = await sql<Ticket>`
    UPDATE recovery_ticket SET tries = tries + 1
    WHERE site_id = ${siteId} AND ticket_hash = ${ticketHash} AND browser_hash = ${browserHash}
      AND expires_at > clock_timestamp() AND tries < ${mostTries}
    RETURNING user_id AS "userId", proved_at IS NOT NULL AS proved, change_id AS "changeId"`.execute(db)
  return rows[0]
}

/** The ticket, read under the user's lock. */
export async function readTicket(db: Db, siteId: SiteId, ticketHash: Buffer): Promise<Ticket | undefined> {
  const { rows } = await sql<Ticket>`
    SELECT user_id AS "userId", proved_at IS NOT NULL AS proved, change_id AS "changeId" FROM recovery_ticket
    WHERE site_id = ${siteId} AND ticket_hash = ${ticketHash} AND expires_at > clock_timestamp()`.execute(db)
  return rows[0]
}

/** The mailed code was right, too. */
export async function proveTicket(db: Db, siteId: SiteId, ticketHash: Buffer): Promise<void> {
  await sql`UPDATE recovery_ticket SET proved_at = clock_timestamp()
    WHERE site_id = ${siteId} AND ticket_hash = ${ticketHash}`.execute(db)
}

/** The state of a user's recovery, by the clock of the database; an expired one counts as none. */
export async function readStanding(db: Db, siteId: SiteId, userId: UserId): Promise<RecoveryStanding> {
  const { rows } = await sql<RecoveryStanding>`
    SELECT CASE WHEN r.ready_at IS NULL THEN 'none' WHEN r.ready_at <= clock_timestamp() THEN 'ready' ELSE 'waiting' END AS stage,
      r.purpose, u.protected, floor(extract(epoch FROM r.ready_at) * 1000)::float8 AS ready,
      floor(extract(epoch FROM r.expires_at) * 1000)::float8 AS expires
    FROM users u LEFT JOIN recovery r
      ON r.site_id = u.site_id AND r.user_id = u.id AND r.expires_at > clock_timestamp()
    WHERE u.site_id = ${siteId} AND u.id = ${userId}`.execute(db)
  const [standing] = rows
  if (!standing) throw new Error('the account is gone')
  return standing
}

/** The id of a recovery that begins now; undefined when one is in progress. An expired one is replaced. */
export async function insertRecovery(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  purpose: RecoveryPurpose,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    INSERT INTO recovery (site_id, user_id, purpose, ready_at, expires_at)
    SELECT ${siteId}, ${userId}, ${purpose}, begun + make_interval(hours => ${recoveryHours}), begun + make_interval(days => ${wholeDays})
    FROM clock_timestamp() AS begun
    ON CONFLICT (site_id, user_id) DO UPDATE
      SET id = gen_random_uuid(), purpose = excluded.purpose, started_at = now(), ready_at = excluded.ready_at, expires_at = excluded.expires_at
      WHERE recovery.expires_at <= clock_timestamp()
    RETURNING id`.execute(db)
  return rows[0]?.id
}

/** Whether this one is in progress; within a transaction that holds the user's lock. */
export async function isRecovery(db: Db, siteId: SiteId, userId: UserId, id: string): Promise<boolean> {
  const { rows } = await sql`SELECT FROM recovery
    WHERE site_id = ${siteId} AND user_id = ${userId} AND id = ${id} AND expires_at > clock_timestamp()`.execute(db)
  return rows.length === 1
}
