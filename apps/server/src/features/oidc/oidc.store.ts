import { sql } from 'kysely'
import { newSecret, sha256 } from '../../platform/crypto/hash.ts'
import type { SessionId, SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { recordEvent } from '../../shared/events/record-event.ts'

export interface Item {
  siteId: SiteId
  kind: string
  id: string
  grantId?: string | undefined
  userId?: string | undefined
  clientId?: string | undefined
  payload: Record<string, unknown>
  seconds: number
}

/** All of them in one statement. */
export async function upsertItems(db: Db, items: Item[]): Promise<void> {
  const rows = items.map(
    ({ siteId, kind, id, grantId = null, userId = null, clientId = null, payload, seconds }) =>
      sql`(${siteId}, ${kind}, ${sha256(id)}, ${grantId}, ${userId}, ${clientId}, ${JSON.stringify(payload)},
        clock_timestamp() + make_interval(secs => ${seconds}))`,
  )
  await sql`INSERT INTO oidc_item (site_id, kind, hash, grant_id, user_id, client_id, payload, expires_at)
    VALUES ${sql.join(rows)}
    ON CONFLICT (site_id, kind, hash) DO UPDATE SET grant_id = excluded.grant_id, user_id = excluded.user_id,
      client_id = excluded.client_id, payload = excluded.payload, expires_at = excluded.expires_at`.execute(db)
}

/** True for exactly one of several parallel calls, until it expires. */
export async function insertOnce(db: Db, { siteId, kind, id, payload, seconds }: Item): Promise<boolean> {
  const { numAffectedRows } = await sql`INSERT INTO oidc_item AS i (site_id, kind, hash, payload, expires_at)
    VALUES (${siteId}, ${kind}, ${sha256(id)}, ${JSON.stringify(payload)},
      clock_timestamp() + make_interval(secs => ${seconds}))
    ON CONFLICT (site_id, kind, hash) DO UPDATE SET payload = excluded.payload, expires_at = excluded.expires_at
      WHERE i.expires_at <= clock_timestamp()`.execute(db)
  return numAffectedRows === 1n
}

export interface FoundItem {
  payload: Record<string, unknown>
  consumed: boolean
}

/** Undefined when it is unknown or expired. Use counts only after some seconds where a client's processes may race. */
export async function findItem(
  db: Db,
  siteId: SiteId,
  kind: string,
  id: string,
  lenientSeconds = 0,
): Promise<FoundItem | undefined> {
  const { rows } = await sql<FoundItem>`
    SELECT payload, coalesce(consumed_at <= clock_timestamp() - make_interval(secs => ${lenientSeconds}), false) AS consumed
    FROM oidc_item
    WHERE site_id = ${siteId} AND kind = ${kind} AND hash = ${sha256(id)} AND expires_at > clock_timestamp()`.execute(
    db,
  )
  return rows[0]
}

/** True for exactly one of several parallel calls. */
export async function consumeItem(db: Db, siteId: SiteId, kind: string, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`UPDATE oidc_item SET consumed_at = clock_timestamp()
    WHERE site_id = ${siteId} AND kind = ${kind} AND hash = ${sha256(id)} AND consumed_at IS NULL
      AND expires_at > clock_timestamp()`.execute(db)
  return numAffectedRows === 1n
}

export async function deleteItem(db: Db, siteId: SiteId, kind: string, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`DELETE FROM oidc_item
    WHERE site_id = ${siteId} AND kind = ${kind} AND hash = ${sha256(id)} AND expires_at > clock_timestamp()`.execute(
    db,
  )
  return numAffectedRows === 1n
}

/** A used one stays: it is how a replay is noticed. */
export async function deleteUnusedCode(db: Db, siteId: SiteId, clientId: string, code: string): Promise<void> {
  await sql`DELETE FROM oidc_item WHERE site_id = ${siteId} AND kind = 'AuthorizationCode' AND hash = ${sha256(code)}
    AND client_id = ${clientId} AND consumed_at IS NULL`.execute(db)
}

/** With the device that it was given to, if it was. */
export async function deleteGrant(db: Db, siteId: SiteId, grantId: string): Promise<void> {
  await sql`WITH device AS (DELETE FROM oidc_device_login WHERE site_id = ${siteId} AND grant_id = ${grantId})
    DELETE FROM oidc_item WHERE site_id = ${siteId} AND grant_id = ${grantId}`.execute(db)
}

export interface Login {
  clientId: string
  sid: string
  grantId: string
  offline: boolean
}

/**
 * Notes that a session has signed in to a client. The lock on the session's row decides between this and the end of the
 * session: either the end sees the grant, or there is no session here. Undefined then; otherwise whether it is the
 * first time in this session.
 */
export async function upsertLogin(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  sessionId: SessionId,
  { clientId, sid, grantId, offline }: Login,
): Promise<{ first: boolean } | undefined> {
  const { rows } = await sql<{ first: boolean }>`
    WITH live AS (
      SELECT s.id FROM session s WHERE s.site_id = ${siteId} AND s.user_id = ${userId} AND s.id = ${sessionId}
        AND s.ended_at IS NULL FOR SHARE
    )
    INSERT INTO oidc_login AS l (site_id, user_id, session_id, client_id, sid, grant_id, offline)
    SELECT ${siteId}, ${userId}, id, ${clientId}, ${sid}, ${grantId}, ${offline} FROM live
    ON CONFLICT (site_id, user_id, session_id, client_id) DO UPDATE
      SET sid = excluded.sid, grant_id = excluded.grant_id, offline = l.offline OR excluded.offline,
        last_at = clock_timestamp()
    RETURNING (xmax = 0) AS first`.execute(db)
  return rows[0]
}

export interface Consent {
  scopes: string[]
  declined: string[]
  /** Epoch seconds. */
  givenAt: number
}

export async function readConsent(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  clientId: string,
): Promise<Consent | undefined> {
  const { rows } = await sql<Consent>`
    SELECT scopes, declined, floor(extract(epoch FROM given_at))::float8 AS "givenAt" FROM oidc_consent
    WHERE site_id = ${siteId} AND user_id = ${userId} AND client_id = ${clientId}`.execute(db)
  return rows[0]
}

export interface ConsentAnswer {
  asked: string[]
  accepted: string[]
  /** The site's version that the page was drawn from. */
  version: string
}

/** What wasn't asked for stays as it was; two answers at once both count. */
export async function saveConsent(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  clientId: string,
  { asked, accepted, version }: ConsentAnswer,
): Promise<void> {
  const declined = asked.filter((scope) => !accepted.includes(scope))
  await sql`
    INSERT INTO oidc_consent AS c (site_id, user_id, client_id, scopes, declined, version)
    VALUES (${siteId}, ${userId}, ${clientId}, ${accepted}, ${declined}, ${version})
    ON CONFLICT (site_id, user_id, client_id) DO UPDATE SET
      scopes = (SELECT coalesce(array_agg(DISTINCT each), '{}') FROM unnest(c.scopes || excluded.scopes) each
        WHERE each <> ALL (excluded.declined)),
      declined = (SELECT coalesce(array_agg(DISTINCT each), '{}') FROM unnest(c.declined || excluded.declined) each
        WHERE each <> ALL (excluded.scopes)),
      version = excluded.version, given_at = clock_timestamp()`.execute(db)
  const about = { subject: userId, id: userId, client: clientId }
  await recordEvent(db, siteId, { type: 'consent.given', ...about, changed: accepted })
}

const logoutKind = 'Logout'

export interface LogoutRequest {
  sessionId: SessionId
  clientId?: string | undefined
  /** Where the browser goes afterwards; checked against the client's addresses. */
  location?: string | undefined
}

/** Keeps a client's wish to sign out until the user confirms it, for ten minutes. */
export async function insertLogout(db: Db, siteId: SiteId, userId: UserId, request: LogoutRequest): Promise<string> {
  const id = newSecret()
  const { clientId } = request
  await upsertItems(db, [{ siteId, kind: logoutKind, id, userId, clientId, payload: { ...request }, seconds: 600 }])
  return id
}

export async function readLogout(db: Db, siteId: SiteId, id: string): Promise<LogoutRequest | undefined> {
  const found = await findItem(db, siteId, logoutKind, id)
  return found?.payload as LogoutRequest | undefined
}

export const deleteLogout = (db: Db, siteId: SiteId, id: string): Promise<boolean> =>
  deleteItem(db, siteId, logoutKind, id)
