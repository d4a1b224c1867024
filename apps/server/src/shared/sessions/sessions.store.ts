import { type RawBuilder, sql } from 'kysely'
import { newSessionId, type SessionId, type SiteId, type UserId } from '../../platform/ids.ts'
import type { Db, Row } from '../../platform/postgres/db.ts'
import { recordEvent, recordRevoked } from '../events/record-event.ts'
import {
  endEveryLogin,
  endLoginsAtSignOut,
  endLoginsOfSession,
  endOtherLogins,
  queueLogouts,
} from '../oidc/ends.store.ts'
import { accountStatus } from '../users/account-status.ts'
import { usedSince } from './known-browsers.store.ts'
import type { SessionState, UserState } from './sessions.ts'

export const idleDays = 30
export const absoluteDays = 180
/** The security log shows a sign-in for 183 days and until its month ends; then the session is no longer needed. */
const rememberedDays = 214
/** How long a completed step-up counts. */
const checkMinutes = 10
/** How long the secret before a step-up still works. */
const formerSeconds = 30

export async function readSession(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  id: SessionId,
): Promise<SessionState | undefined> {
  const { rows } = await sql<SessionState>`
    SELECT id, "secretHash", "createdAt", "lastAccess", "factorAt", ended,
      CASE WHEN former > 0 THEN "formerHash" END AS "formerHash", checked > 0 AS "twoFactor", "left",
      least("left", CASE WHEN former > 0 THEN former END, CASE WHEN checked > 0 THEN checked END) AS "maxCacheMs"
    FROM (SELECT s.id, encode(s.secret_hash, 'base64') AS "secretHash", encode(s.former_hash, 'base64') AS "formerHash",
        (extract(epoch FROM s.created_at) * 1000)::float8 AS "createdAt",
        (extract(epoch FROM coalesce(a.last_access, s.created_at)) * 1000)::float8 AS "lastAccess",
        (extract(epoch FROM s.factor_at) * 1000)::float8 AS "factorAt", s.ended_at IS NOT NULL AS ended,
        coalesce(extract(epoch FROM s.former_until - clock_timestamp()) * 1000, 0)::float8 AS former,
        coalesce(extract(epoch FROM s.two_factor_at + make_interval(mins => ${checkMinutes}) - clock_timestamp()) * 1000, 0)::float8
          AS checked,
        (extract(epoch FROM least(
          coalesce(a.last_access, s.created_at) + make_interval(days => ${idleDays}),
          s.created_at + make_interval(days => ${absoluteDays})) - clock_timestamp()) * 1000)::float8 AS "left"
      FROM session s
      LEFT JOIN session_access a ON a.site_id = s.site_id AND a.user_id = s.user_id AND a.session_id = s.id
      WHERE s.site_id = ${siteId} AND s.user_id = ${userId} AND s.id = ${id}) session`.execute(db)
  return rows[0]
}

export async function readUser(db: Db, siteId: SiteId, userId: UserId): Promise<UserState | undefined> {
  const { rows } = await sql<UserState>`
    SELECT u.id, ${accountStatus} AS status, coalesce(u.avatar_id, u.wechat_avatar_id) IS NOT NULL AS avatar,
      (SELECT floor(extract(epoch FROM b.created_at) * 1000)::float8 FROM blob b
        WHERE b.site_id = u.site_id AND b.id = coalesce(u.avatar_id, u.wechat_avatar_id)) AS "avatarTime", u.nickname, u.wechat_nickname AS "wechatNickname",
      u.wechat_open_id AS "wechatOpenId", u.mobile_prefix AS "mobilePrefix", u.mobile, u.username, u.email, u.preference, u.protected,
      EXISTS (SELECT FROM credential c WHERE c.site_id = u.site_id AND c.user_id = u.id AND c.kind = 'password') AS password,
      (SELECT (extract(epoch FROM a.last_access) * 1000)::float8 FROM user_access a
        WHERE a.site_id = u.site_id AND a.user_id = u.id) AS "lastAccess",
      (SELECT coalesce(jsonb_object_agg(area, actions), '{}') FROM (
        SELECT p.area, jsonb_agg(p.action ORDER BY p.action) AS actions FROM permission p
        WHERE p.site_id = u.site_id AND p.user_id = u.id GROUP BY p.area) areas) AS permission,
      (SELECT c.version FROM consent c WHERE c.site_id = u.site_id AND c.user_id = u.id AND c.document = 'agreements'
        ORDER BY c.at DESC LIMIT 1) AS agreements,
      floor(extract(epoch FROM d.due_at) * 1000)::float8 AS closing,
      CASE WHEN d.due_at > clock_timestamp()
        THEN (extract(epoch FROM d.due_at - clock_timestamp()) * 1000)::float8 END AS "maxCacheMs",
      floor(extract(epoch FROM r.ready_at) * 1000)::float8 AS recovery, r.purpose AS "recoveryPurpose"
    FROM users u LEFT JOIN deletion d ON d.site_id = u.site_id AND d.user_id = u.id
      LEFT JOIN recovery r ON r.site_id = u.site_id AND r.user_id = u.id AND r.expires_at > clock_timestamp()
    WHERE u.site_id = ${siteId} AND u.id = ${userId}`.execute(db)
  return rows[0]
}

/** The browser is noted once a day, without waiting for locks: a sign-in in it takes the same rows in another order. */
export async function touchAccess(db: Db, siteId: SiteId, userId: UserId, sessionId: SessionId): Promise<void> {
  await sql`
    WITH accessed AS (
      INSERT INTO user_access (site_id, user_id) VALUES (${siteId}, ${userId})
      ON CONFLICT (site_id, user_id) DO UPDATE SET last_access = now()
    ), due AS (
      SELECT k.cookie_hash FROM known_browser k JOIN session s
        ON s.site_id = k.site_id AND s.user_id = k.user_id AND s.browser_hash = k.cookie_hash
      WHERE s.site_id = ${siteId} AND s.user_id = ${userId} AND s.id = ${sessionId}
        AND k.last_used < now() - interval '1 day'
      FOR UPDATE OF k SKIP LOCKED
    ), used AS (
      UPDATE known_browser SET last_used = now()
      WHERE site_id = ${siteId} AND user_id = ${userId} AND cookie_hash IN (SELECT cookie_hash FROM due)
    )
    INSERT INTO session_access (site_id, user_id, session_id) VALUES (${siteId}, ${userId}, ${sessionId})
    ON CONFLICT (site_id, user_id, session_id) DO UPDATE SET last_access = now()`.execute(db)
}

export interface NewSession {
  secretHash: Buffer
  method: string
  browser: string
  device: string
  os: string
  address: string
  region: string | undefined
  browserHash: Buffer
  /** The hash of the scan request that it answers; the database holds one session for each. */
  scanHash: Buffer | undefined
  /** Whether signing in was an identity check as well. */
  checked: boolean
  /** Whether WeChat asked the user, where it is by WeChat. */
  asked: boolean
  /** When a second factor was proved. */
  factor: ProvedAt | undefined
  /** Whether the site lets customers trust a browser. */
  trusts: boolean
}

/** At this moment, or earlier in the session that approved this one. */
export type ProvedAt = 'now' | Date

export interface Begun {
  /** Undefined where the account is protected and neither a factor was proved nor the browser is trusted. */
  id: SessionId | undefined
  /** The account has been used before, and this browser is not known to it. */
  strange: boolean
}

/** A browser that its owner trusts; of customers alone. */
const trusted = (browserHash: Buffer) => sql<boolean>`(EXISTS (SELECT FROM known_browser k
  WHERE k.site_id = u.site_id AND k.user_id = u.id AND k.cookie_hash = ${browserHash}
    AND k.trusted_until > clock_timestamp() AND k.last_used > ${usedSince})
  AND NOT EXISTS (SELECT FROM permission p WHERE p.site_id = u.site_id AND p.user_id = u.id AND p.area = 'MERCHANT'))`

/**
 * Inserts a session and its browser in one statement, which also deletes sessions that are no longer needed. The query
 * at its end sees the account as it was before the statement, so without this session. Undefined when the account is
 * gone.
 */
export async function insertSession(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  session: NewSession,
): Promise<Begun | undefined> {
  const id = newSessionId()
  const {
    secretHash,
    method,
    browser,
    device,
    os,
    address,
    region = null,
    browserHash,
    scanHash = null,
    checked,
    asked,
    factor,
    trusts,
  } = session
  const now = factor === 'now'
  const earlier = factor instanceof Date ? factor : null
  const { rows } = await sql<{ open: boolean; strange: boolean }>`
    WITH gate AS (
      SELECT NOT u.protected OR ${factor !== undefined} OR ${trusts} AND ${trusted(browserHash)} AS open
      FROM users u WHERE u.site_id = ${siteId} AND u.id = ${userId}
    ), begun AS (
      INSERT INTO session (site_id, user_id, id, secret_hash, method, browser, device, os, address, region, browser_hash,
        scan_hash, two_factor_at, asked, factor_at)
      SELECT ${siteId}, ${userId}, ${id}, ${secretHash}, ${method}, ${browser}, ${device}, ${os}, ${address}, ${region},
        ${browserHash}, ${scanHash}, CASE WHEN ${checked || now} THEN clock_timestamp() END, ${asked},
        CASE WHEN ${now} THEN clock_timestamp() ELSE ${earlier}::timestamptz END
      FROM gate WHERE open
    ), seen AS (
      INSERT INTO known_browser AS k (site_id, user_id, cookie_hash)
      SELECT ${siteId}, ${userId}, ${browserHash} FROM gate WHERE open
      ON CONFLICT (site_id, user_id, cookie_hash) DO UPDATE SET last_used = now(),
        first_seen = CASE WHEN k.last_used > ${usedSince} THEN k.first_seen ELSE now() END
      RETURNING k.first_seen = now() AS fresh
    ), accessed AS (
      INSERT INTO user_access (site_id, user_id) SELECT ${siteId}, ${userId} FROM gate WHERE open
      ON CONFLICT (site_id, user_id) DO UPDATE SET last_access = now()
    ), access AS (
      INSERT INTO session_access (site_id, user_id, session_id) SELECT ${siteId}, ${userId}, ${id} FROM gate WHERE open
    ), forgotten AS (
      DELETE FROM session WHERE site_id = ${siteId} AND user_id = ${userId}
        AND created_at < clock_timestamp() - make_interval(days => ${rememberedDays})
      RETURNING id
    ), unused AS (
      DELETE FROM session_access WHERE site_id = ${siteId} AND user_id = ${userId}
        AND session_id IN (SELECT id FROM forgotten)
    )
    SELECT open, EXISTS (SELECT FROM seen WHERE fresh)
      AND EXISTS (SELECT FROM user_access WHERE site_id = ${siteId} AND user_id = ${userId}) AS strange
    FROM gate`.execute(db)
  const [begun] = rows
  return begun && { id: begun.open ? id : undefined, strange: begun.strange }
}

/** Ends a session and what it gave to clients; a sign-out leaves what they may do offline. False when it had ended already. */
export async function endSession(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  id: SessionId,
  reason: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`UPDATE session SET ended_at = now(), end_reason = ${reason}
    WHERE site_id = ${siteId} AND user_id = ${userId} AND id = ${id} AND ended_at IS NULL`.execute(db)
  if (numAffectedRows === 0n) return false
  await recordRevoked(db, siteId, userId, [id], reason)
  await (reason === 'logout' ? endLoginsAtSignOut : endLoginsOfSession)(db, siteId, userId, id)
  return true
}

/** Ends every live session of a user but one, and sign-ins that wait for their second step; answers which. Two at once wait for each other at the user's row. */
export async function endOtherSessions(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  keep: SessionId,
  reason: string,
): Promise<SessionId[]> {
  await sql`SELECT FROM users WHERE site_id = ${siteId} AND id = ${userId} FOR UPDATE`.execute(db)
  const ended = await end(db, siteId, userId, reason, sql`AND id <> ${keep}`)
  await endOtherLogins(db, siteId, userId, keep)
  return ended
}

/** Ends every live session of a user whose row the transaction has locked; answers which. */
export async function endAllSessions(db: Db, siteId: SiteId, userId: UserId, reason: string): Promise<SessionId[]> {
  const ended = await end(db, siteId, userId, reason)
  await queueLogouts(db, siteId, userId, await endEveryLogin(db, siteId, userId))
  return ended
}

async function end(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  reason: string,
  except: RawBuilder<unknown> = sql``,
): Promise<SessionId[]> {
  const { rows } = await sql<
    Row<'session', 'id'>
  >`WITH void AS (DELETE FROM factor_ticket WHERE site_id = ${siteId} AND user_id = ${userId})
    UPDATE session SET ended_at = now(), end_reason = ${reason}
    WHERE site_id = ${siteId} AND user_id = ${userId} AND ended_at IS NULL ${except} RETURNING id`.execute(db)
  const ended = rows.map(({ id }) => id)
  await recordRevoked(db, siteId, userId, ended, reason)
  return ended
}

/** What a step-up proved: enough to count as checked, or a kind besides a texted code, or both. */
export interface Proved {
  first: boolean
  second: boolean
  /** A second factor, which is all that a protected account needs. */
  factor?: boolean
}

/** Notes a completed step-up under a new secret; false when the session has ended. */
export async function markChecked(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  id: SessionId,
  { first, second, factor = false }: Proved,
  secretHash: Buffer,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE session SET former_hash = secret_hash, former_until = clock_timestamp() + make_interval(secs => ${formerSeconds}),
      secret_hash = ${secretHash},
      two_factor_at = CASE WHEN ${first} THEN clock_timestamp() ELSE two_factor_at END,
      second_at = CASE WHEN ${second} THEN clock_timestamp() ELSE second_at END,
      factor_at = CASE WHEN ${factor} THEN clock_timestamp() ELSE factor_at END
    WHERE site_id = ${siteId} AND user_id = ${userId} AND id = ${id} AND ended_at IS NULL`.execute(db)
  return numAffectedRows === 1n
}

export interface HeldSession {
  checked: boolean
  /**
   * Whether a kind of proof besides a texted code was given in it. Signing in counts as one, except by a kind that is
   * too fresh or by a WeChat scope that asked nothing.
   */
  second: boolean
  /** Whether its browser was first seen by the account within 72 hours. */
  newBrowser: boolean
  /** Whether it began within the last minutes: a recent sign-in. */
  fresh: boolean
  /** Whether the account has a second factor. */
  protected: boolean
  /** Whether a second factor was proved in it within the last ten minutes, and ever. */
  factor: boolean
  withFactor: boolean
}

/** The session from the database, past every cache; undefined when it has ended. */
export async function lookAtSession(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  id: SessionId,
  lock: RawBuilder<unknown> = sql``,
): Promise<HeldSession | undefined> {
  const { rows } = await sql<HeldSession>`
    SELECT coalesce(s.two_factor_at > clock_timestamp() - make_interval(mins => ${checkMinutes}), false) AS checked,
      ((s.method = 'password' OR s.method = 'wechat' AND s.asked) AND coalesce((SELECT CASE s.method WHEN 'password' THEN u.password_fresh_until
          ELSE u.wechat_fresh_until END FROM users u WHERE u.site_id = s.site_id AND u.id = s.user_id) <= clock_timestamp(), true))
        OR coalesce(s.second_at > clock_timestamp() - make_interval(mins => ${checkMinutes}), false) AS second,
      NOT EXISTS (SELECT FROM known_browser k WHERE k.site_id = s.site_id AND k.user_id = s.user_id
        AND k.cookie_hash = s.browser_hash AND k.first_seen < clock_timestamp() - interval '72 hours' AND k.last_used > ${usedSince}) AS "newBrowser",
      s.created_at > clock_timestamp() - make_interval(mins => ${checkMinutes}) AS fresh,
      coalesce((SELECT u.protected FROM users u WHERE u.site_id = s.site_id AND u.id = s.user_id), false) AS protected,
      coalesce(s.factor_at > clock_timestamp() - make_interval(mins => ${checkMinutes}), false) AS factor,
      s.factor_at IS NOT NULL AS "withFactor"
    FROM session s WHERE s.site_id = ${siteId} AND s.user_id = ${userId} AND s.id = ${id} AND s.ended_at IS NULL
    ${lock}`.execute(db)
  return rows[0]
}

/** The same, with the row locked until the transaction ends. */
export const holdSession = (db: Db, siteId: SiteId, userId: UserId, id: SessionId): Promise<HeldSession | undefined> =>
  lookAtSession(db, siteId, userId, id, sql`FOR UPDATE`)

/** Renews the secret after a change of credentials: the former one is invalid at once. */
export async function renewSecret(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  id: SessionId,
  secretHash: Buffer,
): Promise<void> {
  await sql`UPDATE session SET secret_hash = ${secretHash}, former_hash = NULL, former_until = NULL
    WHERE site_id = ${siteId} AND user_id = ${userId} AND id = ${id}`.execute(db)
}

/**
 * False when the newest version agreed to is the same; a version that came back into force becomes the newest again.
 */
export async function insertConsent(db: Db, siteId: SiteId, userId: UserId, version: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    INSERT INTO consent AS c (site_id, user_id, document, version) VALUES (${siteId}, ${userId}, 'agreements', ${version})
    ON CONFLICT (site_id, user_id, document, version) DO UPDATE SET at = now()
      WHERE EXISTS (SELECT FROM consent later WHERE later.site_id = c.site_id AND later.user_id = c.user_id
        AND later.document = c.document AND later.at > c.at)`.execute(db)
  if (numAffectedRows === 0n) return false
  await recordEvent(db, siteId, { type: 'consent.given', subject: userId, id: userId, changed: ['agreements'] })
  return true
}
