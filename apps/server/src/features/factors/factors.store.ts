import { trustDays } from '@hufu/contract/factors'
import { sql } from 'kysely'
import type { SessionId, SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { recordUserEvent } from '../../shared/events/record-event.ts'
import type { Authority } from '../../shared/step-up/authority.ts'

/** How long a secret that was shown can be confirmed. */
const confirmMinutes = 60

/** The secret of an authenticator that is being added; false when one is in force. */
export async function putTotp(
  tx: Db,
  _by: Authority,
  siteId: SiteId,
  userId: UserId,
  sealed: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    INSERT INTO totp AS t (site_id, user_id, sealed) VALUES (${siteId}, ${userId}, ${sealed})
    ON CONFLICT (site_id, user_id) DO UPDATE SET sealed = excluded.sealed, created_at = clock_timestamp(), last_step = 0
      WHERE t.confirmed_at IS NULL`.execute(tx)
  return numAffectedRows === 1n
}

export interface StoredTotp {
  sealed: string
  confirmed: boolean
  /** Whether it can still be confirmed. */
  fresh: boolean
  lastStep: number
}

export async function readTotp(db: Db, siteId: SiteId, userId: UserId): Promise<StoredTotp | undefined> {
  const { rows } = await sql<StoredTotp>`
    SELECT sealed, confirmed_at IS NOT NULL AS confirmed, last_step::float8 AS "lastStep",
      created_at > clock_timestamp() - make_interval(mins => ${confirmMinutes}) AS fresh
    FROM totp WHERE site_id = ${siteId} AND user_id = ${userId}`.execute(db)
  return rows[0]
}

/** False when another secret was made, or this one confirmed, in between. */
export async function confirmSecret(
  tx: Db,
  _by: Authority,
  siteId: SiteId,
  userId: UserId,
  { sealed, step }: { sealed: string; step: number },
): Promise<boolean> {
  const { numAffectedRows } = await sql`UPDATE totp SET confirmed_at = clock_timestamp(), last_step = ${step}
    WHERE site_id = ${siteId} AND user_id = ${userId} AND sealed = ${sealed} AND confirmed_at IS NULL`.execute(tx)
  if (numAffectedRows === 0n) return false
  await recordUserEvent(tx, siteId, userId, 'factor.enrolled', ['totp'])
  return true
}

/** False when a code of this step or a later one was accepted before: each counts once. */
export async function spendStep(
  tx: Db,
  siteId: SiteId,
  userId: UserId,
  { sealed, step }: { sealed: string; step: number },
): Promise<boolean> {
  const { numAffectedRows } = await sql`UPDATE totp SET last_step = ${step}, last_used_at = clock_timestamp()
    WHERE site_id = ${siteId} AND user_id = ${userId} AND sealed = ${sealed} AND confirmed_at IS NOT NULL
      AND last_step < ${step}`.execute(tx)
  return numAffectedRows === 1n
}

export interface StoredCode {
  id: string
  sealed: string
}

export async function listRecoveryCodes(db: Db, siteId: SiteId, userId: UserId): Promise<StoredCode[]> {
  const { rows } = await sql<StoredCode>`SELECT id, sealed FROM recovery_code
    WHERE site_id = ${siteId} AND user_id = ${userId} AND spent_at IS NULL`.execute(db)
  return rows
}

/** False when it was spent in between. */
export async function spendRecoveryCode(tx: Db, siteId: SiteId, userId: UserId, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`UPDATE recovery_code SET spent_at = clock_timestamp()
    WHERE site_id = ${siteId} AND user_id = ${userId} AND id = ${id} AND spent_at IS NULL`.execute(tx)
  return numAffectedRows === 1n
}

/** New codes in place of all former ones, under the user's lock. */
export async function replaceRecoveryCodes(
  tx: Db,
  _by: Authority,
  siteId: SiteId,
  userId: UserId,
  sealed: string[],
): Promise<void> {
  await sql`DELETE FROM recovery_code WHERE site_id = ${siteId} AND user_id = ${userId}`.execute(tx)
  await sql`INSERT INTO recovery_code (site_id, user_id, sealed)
    SELECT ${siteId}::uuid, ${userId}::uuid, code FROM unnest(${sealed}::text[]) code`.execute(tx)
}

export interface FactorTicket {
  userId: UserId
  method: string
  agreements: string | null
}

/** More reads and guesses of one ticket than a user makes. */
const mostTries = 60

/** Counts a use by its browser; undefined when it is used up, expired, of another browser or overused. */
export async function useFactorTicket(
  db: Db,
  siteId: SiteId,
  ticketHash: Buffer,
  browserHash: Buffer,
): Promise<FactorTicket | undefined> {
  const { rows } = await sql<FactorTicket>`
    UPDATE factor_ticket SET tries = tries + 1
    WHERE site_id = ${siteId} AND ticket_hash = ${ticketHash} AND browser_hash = ${browserHash}
      AND expires_at > clock_timestamp() AND tries < ${mostTries}
    RETURNING user_id AS "userId", method, agreements`.execute(db)
  return rows[0]
}

export async function spendFactorTicket(tx: Db, siteId: SiteId, ticketHash: Buffer): Promise<boolean> {
  const { numAffectedRows } = await sql`DELETE FROM factor_ticket
    WHERE site_id = ${siteId} AND ticket_hash = ${ticketHash} AND expires_at > clock_timestamp()`.execute(tx)
  return numAffectedRows === 1n
}

/** A customer's browser that the account knows; never an operator's. */
export async function trustBrowser(tx: Db, siteId: SiteId, userId: UserId, cookieHash: Buffer): Promise<void> {
  await sql`UPDATE known_browser SET trusted_until = clock_timestamp() + make_interval(days => ${trustDays})
    WHERE site_id = ${siteId} AND user_id = ${userId} AND cookie_hash = ${cookieHash}
      AND NOT EXISTS (SELECT FROM permission p
        WHERE p.site_id = ${siteId} AND p.user_id = ${userId} AND p.area = 'MERCHANT')`.execute(tx)
}

/** A factor was proved in this session, which is a step-up as well. */
export async function markFactor(tx: Db, siteId: SiteId, userId: UserId, id: SessionId): Promise<void> {
  await sql`UPDATE session SET factor_at = clock_timestamp(), two_factor_at = clock_timestamp()
    WHERE site_id = ${siteId} AND user_id = ${userId} AND id = ${id}`.execute(tx)
}

export interface StoredState {
  totp: { created: number; lastUsed: number | null } | null
  recovery: { created: number; left: number } | null
  trusted: number
}

export async function readFactors(db: Db, siteId: SiteId, userId: UserId): Promise<StoredState> {
  const own = sql`site_id = ${siteId} AND user_id = ${userId}`
  const { rows } = await sql<StoredState>`SELECT
    (SELECT jsonb_build_object('created', floor(extract(epoch FROM confirmed_at) * 1000),
        'lastUsed', floor(extract(epoch FROM last_used_at) * 1000))
      FROM totp WHERE ${own} AND confirmed_at IS NOT NULL) AS totp,
    (SELECT jsonb_build_object('created', floor(extract(epoch FROM min(created_at)) * 1000),
        'left', count(*) FILTER (WHERE spent_at IS NULL))
      FROM recovery_code WHERE ${own} HAVING count(*) > 0) AS recovery,
    (SELECT count(*)::int FROM known_browser WHERE ${own} AND trusted_until > clock_timestamp()) AS trusted`.execute(db)
  return rows[0] ?? { totp: null, recovery: null, trusted: 0 }
}
