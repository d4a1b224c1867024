import { sql } from 'kysely'
import { sha256 } from '../../../platform/crypto/hash.ts'
import type { SessionId, SiteId, UserId } from '../../../platform/ids.ts'
import type { Db } from '../../../platform/postgres/db.ts'

/**
 * A waiting device is two items: its own code, by which it polls, and the user code that leads to it. The user code is
 * spent by the decision.
 */
const deviceKind = 'DeviceCode'
const userKind = 'UserCode'

export interface NewDevice {
  deviceCode: string
  userCode: string
  clientId: string
  payload: Record<string, unknown>
  seconds: number
}

/** False where another device waits under this user code. */
export async function insertDevice(
  db: Db,
  siteId: SiteId,
  { deviceCode, userCode, clientId, payload, seconds }: NewDevice,
): Promise<boolean> {
  const hash = sha256(deviceCode)
  const ends = sql`clock_timestamp() + make_interval(secs => ${seconds})`
  const { numAffectedRows } = await sql`WITH free AS (
      INSERT INTO oidc_item AS i (site_id, kind, hash, client_id, payload, expires_at)
      VALUES (${siteId}, ${userKind}, ${sha256(userCode)}, ${clientId},
        ${JSON.stringify({ device: hash.toString('hex') })}, ${ends})
      ON CONFLICT (site_id, kind, hash) DO UPDATE SET client_id = excluded.client_id, payload = excluded.payload,
        expires_at = excluded.expires_at, user_id = NULL, consumed_at = NULL
        WHERE i.expires_at <= clock_timestamp()
      RETURNING site_id
    )
    INSERT INTO oidc_item (site_id, kind, hash, client_id, payload, expires_at)
    SELECT site_id, ${deviceKind}, ${hash}, ${clientId}, ${JSON.stringify(payload)}, ${ends} FROM free`.execute(db)
  return numAffectedRows === 1n
}

export interface StoredDevice {
  payload: Record<string, unknown>
  expired: boolean
  consumed: boolean
}

/** By the device's own code. Expired ones are found until they are cleaned up: the device is told to begin again. */
export async function findDevice(
  db: Db,
  siteId: SiteId,
  deviceCode: string,
  lenientSeconds: number,
): Promise<StoredDevice | undefined> {
  const { rows } = await sql<StoredDevice>`
    SELECT payload, expires_at <= clock_timestamp() AS expired,
      coalesce(consumed_at <= clock_timestamp() - make_interval(secs => ${lenientSeconds}), false) AS consumed
    FROM oidc_item
    WHERE site_id = ${siteId} AND kind = ${deviceKind} AND hash = ${sha256(deviceCode)}`.execute(db)
  return rows[0]
}

export interface WaitingDevice {
  hash: Buffer
  payload: Record<string, unknown>
  clientId: string
  /** Epoch milliseconds. */
  since: number
  /** Who has decided, and how; null while it waits. */
  decidedBy: UserId | null
  approved: boolean
}

/** By the user code, until it expires. */
export async function findWaiting(
  db: Db,
  siteId: SiteId,
  userCode: string,
  seconds: number,
): Promise<WaitingDevice | undefined> {
  const { rows } = await sql<WaitingDevice>`
    SELECT d.hash, d.payload, d.client_id AS "clientId", c.user_id AS "decidedBy", d.grant_id IS NOT NULL AS approved,
      floor(extract(epoch FROM d.expires_at - make_interval(secs => ${seconds})) * 1000)::float8 AS since
    FROM oidc_item c JOIN oidc_item d
      ON d.site_id = c.site_id AND d.kind = ${deviceKind} AND d.hash = decode(c.payload->>'device', 'hex')
    WHERE c.site_id = ${siteId} AND c.kind = ${userKind} AND c.hash = ${sha256(userCode)}
      AND c.expires_at > clock_timestamp() AND d.expires_at > clock_timestamp()`.execute(db)
  return rows[0]
}

/** True for exactly one of several decisions. */
export async function spendUserCode(db: Db, siteId: SiteId, userId: UserId, userCode: string): Promise<boolean> {
  const { numAffectedRows } = await sql`UPDATE oidc_item SET consumed_at = clock_timestamp(), user_id = ${userId}
    WHERE site_id = ${siteId} AND kind = ${userKind} AND hash = ${sha256(userCode)} AND consumed_at IS NULL
      AND expires_at > clock_timestamp()`.execute(db)
  return numAffectedRows === 1n
}

/** What the device finds when it polls next. Only for the decision that spent the user code. */
export async function setDecision(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  hash: Buffer,
  { payload, grantId }: { payload: Record<string, unknown>; grantId: string | null },
): Promise<void> {
  await sql`UPDATE oidc_item SET payload = ${JSON.stringify(payload)}, grant_id = ${grantId}, user_id = ${userId}
    WHERE site_id = ${siteId} AND kind = ${deviceKind} AND hash = ${hash}`.execute(db)
}

export interface DeviceLogin {
  clientId: string
  sid: string
  grantId: string
  offline: boolean
}

/**
 * Ties the grant to the session that approved it. The lock on the session's row decides between this and the end of the
 * session: either the end sees the grant, or this answers false.
 */
export async function insertDeviceLogin(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  sessionId: SessionId,
  { clientId, sid, grantId, offline }: DeviceLogin,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    WITH live AS (
      SELECT s.id FROM session s WHERE s.site_id = ${siteId} AND s.user_id = ${userId} AND s.id = ${sessionId}
        AND s.ended_at IS NULL FOR SHARE
    )
    INSERT INTO oidc_device_login (site_id, user_id, session_id, client_id, sid, grant_id, offline)
    SELECT ${siteId}, ${userId}, id, ${clientId}, ${sid}, ${grantId}, ${offline} FROM live`.execute(db)
  return numAffectedRows === 1n
}
