import { sql } from 'kysely'
import type { SessionId, SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { recordUserEvent } from '../events/record-event.ts'
import type { Authority } from '../step-up/authority.ts'

/**
 * Writes whether the account is protected, in every transaction that adds or removes a factor, under the user's lock.
 * With the last factor go the recovery codes, the trust in browsers and the tickets to the second step.
 */
export async function settleProtection(tx: Db, siteId: SiteId, userId: UserId): Promise<boolean> {
  const { rows } = await sql<{ protected: boolean }>`
    UPDATE users u SET protected = EXISTS (SELECT FROM passkey p WHERE p.site_id = u.site_id AND p.user_id = u.id)
      OR EXISTS (SELECT FROM totp t WHERE t.site_id = u.site_id AND t.user_id = u.id AND t.confirmed_at IS NOT NULL)
    WHERE u.site_id = ${siteId} AND u.id = ${userId} RETURNING protected`.execute(tx)
  if (rows[0]?.protected) return true
  await sql`DELETE FROM recovery_code WHERE site_id = ${siteId} AND user_id = ${userId}`.execute(tx)
  await sql`DELETE FROM factor_ticket WHERE site_id = ${siteId} AND user_id = ${userId}`.execute(tx)
  await endTrust(tx, siteId, userId)
  return false
}

/** Removes every factor. False when there was none; an authenticator that was never confirmed is none. */
export async function deleteFactors(tx: Db, by: Authority, siteId: SiteId, userId: UserId): Promise<boolean> {
  const passkeys = await sql`DELETE FROM passkey WHERE site_id = ${siteId} AND user_id = ${userId}`.execute(tx)
  if (passkeys.numAffectedRows !== 0n) await recordUserEvent(tx, siteId, userId, 'factor.reset', ['passkey'])
  const confirmed = await deleteTotp(tx, by, siteId, userId)
  await settleProtection(tx, siteId, userId)
  return confirmed || passkeys.numAffectedRows !== 0n
}

/** False when none was confirmed. */
export async function deleteTotp(tx: Db, _by: Authority, siteId: SiteId, userId: UserId): Promise<boolean> {
  const { rows } = await sql<{ confirmed: boolean }>`DELETE FROM totp WHERE site_id = ${siteId} AND user_id = ${userId}
    RETURNING confirmed_at IS NOT NULL AS confirmed`.execute(tx)
  if (rows[0]?.confirmed !== true) return false
  await recordUserEvent(tx, siteId, userId, 'factor.reset', ['totp'])
  return true
}

/**
 * Removes the factors and recovery codes that were made at an account change or after it: a thief's would keep the owner
 * out.
 */
export async function deleteFactorsSince(
  tx: Db,
  _by: Authority,
  siteId: SiteId,
  userId: UserId,
  changeId: string,
): Promise<void> {
  const own = sql`site_id = ${siteId} AND user_id = ${userId}`
  const since = sql`(SELECT c.at FROM account_change c WHERE c.site_id = ${siteId} AND c.user_id = ${userId} AND c.id = ${changeId})`
  const passkeys = await sql`DELETE FROM passkey WHERE ${own} AND created_at >= ${since}`.execute(tx)
  const totp = await sql`DELETE FROM totp WHERE ${own} AND coalesce(confirmed_at, created_at) >= ${since}`.execute(tx)
  const reset = Object.entries({ passkey: passkeys, totp }).flatMap(([kind, deleted]) =>
    deleted.numAffectedRows === 0n ? [] : [kind],
  )
  if (reset.length > 0) await recordUserEvent(tx, siteId, userId, 'factor.reset', reset)
  await sql`DELETE FROM recovery_code WHERE ${own} AND created_at >= ${since}`.execute(tx)
  await sql`DELETE FROM factor_ticket WHERE ${own}`.execute(tx)
  await endTrust(tx, siteId, userId)
  const still = await settleProtection(tx, siteId, userId)
  if (!still) await demandEnrolment(tx, siteId, userId)
}

/** An operator enrols again with a code of another ADMIN or the command line alone: this row, expired, has none. */
async function demandEnrolment(tx: Db, siteId: SiteId, userId: UserId): Promise<void> {
  if (!(await isOperator(tx, siteId, userId))) return
  await sql`INSERT INTO enrolment_ticket (site_id, user_id, hash, expires_at)
    VALUES (${siteId}, ${userId}, sha256(uuid_send(gen_random_uuid())), clock_timestamp())
    ON CONFLICT (site_id, user_id) DO NOTHING`.execute(tx)
}

/** Every browser takes the second step again. */
export async function endTrust(db: Db, siteId: SiteId, userId: UserId): Promise<void> {
  await sql`UPDATE known_browser SET trusted_until = NULL
    WHERE site_id = ${siteId} AND user_id = ${userId} AND trusted_until IS NOT NULL`.execute(db)
}

/** The browser of this session does. */
export async function endTrustOf(db: Db, siteId: SiteId, userId: UserId, id: SessionId): Promise<void> {
  await sql`UPDATE known_browser k SET trusted_until = NULL FROM session s
    WHERE k.site_id = ${siteId} AND k.user_id = ${userId} AND k.trusted_until IS NOT NULL AND s.site_id = k.site_id
      AND s.user_id = k.user_id AND s.id = ${id} AND s.browser_hash = k.cookie_hash`.execute(db)
}

/** Whether the account has any right in the back-office. */
export async function isOperator(db: Db, siteId: SiteId, userId: UserId): Promise<boolean> {
  const { rows } = await sql`SELECT FROM permission
    WHERE site_id = ${siteId} AND user_id = ${userId} AND area = 'MERCHANT' LIMIT 1`.execute(db)
  return rows.length > 0
}
