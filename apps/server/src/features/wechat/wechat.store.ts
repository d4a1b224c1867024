import { sql } from 'kysely'
import type { SessionId, SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { recordUserEvent } from '../../shared/events/record-event.ts'

/**
 * ticket: for one navigation of a signed-in user; state: a trip through WeChat; arrival: a returned visitor who has to
 * decide.
 */
export type Purpose = 'ticket' | 'state' | 'arrival'

export interface Holder {
  browserHash: Buffer
  userId?: UserId | undefined
  sessionId?: SessionId | undefined
}

export interface NewTicket extends Holder {
  purpose: Purpose
  seconds: number
  detail?: Record<string, unknown>
}

/** A later one under the same hash replaces the former. */
export async function keepTicket(db: Db, siteId: SiteId, hash: Buffer, ticket: NewTicket): Promise<void> {
  const { purpose, browserHash, userId = null, sessionId = null, detail = {}, seconds } = ticket
  await sql`
    INSERT INTO wechat_ticket (site_id, hash, purpose, browser_hash, user_id, session_id, detail, expires_at)
    VALUES (${siteId}, ${hash}, ${purpose}, ${browserHash}, ${userId}, ${sessionId}, ${JSON.stringify(detail)},
      clock_timestamp() + make_interval(secs => ${seconds}))
    ON CONFLICT (site_id, hash) DO UPDATE SET detail = excluded.detail, expires_at = excluded.expires_at`.execute(db)
}

export interface SpentTicket {
  userId: UserId | null
  sessionId: SessionId | null
  detail: unknown
}

const live = (siteId: SiteId, hash: Buffer, purpose: Purpose, browserHash: Buffer) =>
  sql`site_id = ${siteId} AND hash = ${hash} AND purpose = ${purpose} AND browser_hash = ${browserHash}
    AND expires_at > clock_timestamp()`

/** Spends it: deleting the row decides. Undefined for one that is expired, spent, or of another browser. */
export async function spendTicket(
  db: Db,
  siteId: SiteId,
  hash: Buffer,
  purpose: Purpose,
  browserHash: Buffer,
): Promise<SpentTicket | undefined> {
  const { rows } = await sql<SpentTicket>`
    DELETE FROM wechat_ticket WHERE ${live(siteId, hash, purpose, browserHash)}
    RETURNING user_id AS "userId", session_id AS "sessionId", detail`.execute(db)
  return rows[0]
}

/** Reads it without spending it. */
export async function lookAtTicket(
  db: Db,
  siteId: SiteId,
  hash: Buffer,
  purpose: Purpose,
  browserHash: Buffer,
): Promise<unknown> {
  const { rows } = await sql<{ detail: unknown }>`
    SELECT detail FROM wechat_ticket WHERE ${live(siteId, hash, purpose, browserHash)}`.execute(db)
  return rows[0]?.detail
}

export interface Shown {
  openid: string
  nickname: string
}

/** What the account shows of the WeChat that is bound to it. */
export async function showWechat(db: Db, siteId: SiteId, userId: UserId, { openid, nickname }: Shown): Promise<void> {
  await sql`UPDATE users SET wechat_open_id = ${openid}, wechat_nickname = ${nickname}
    WHERE site_id = ${siteId} AND id = ${userId}`.execute(db)
}

/** Removes all of it, the picture included. */
export async function hideWechat(db: Db, siteId: SiteId, userId: UserId): Promise<void> {
  await sql`UPDATE users SET wechat_open_id = NULL, wechat_nickname = NULL, wechat_avatar_id = NULL
    WHERE site_id = ${siteId} AND id = ${userId}`.execute(db)
  await sql`DELETE FROM blob WHERE site_id = ${siteId} AND owner_id = ${userId} AND kind = 'wechat-avatar'`.execute(db)
}

/** False when that WeChat isn't bound any more: its picture came too late. */
export async function setWechatAvatar(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  openid: string,
  blobId: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`UPDATE users SET wechat_avatar_id = ${blobId}
    WHERE site_id = ${siteId} AND id = ${userId} AND wechat_open_id = ${openid}`.execute(db)
  if (numAffectedRows === 0n) return false
  await recordUserEvent(db, siteId, userId, 'user.updated', ['avatar'])
  return true
}

/** The ids of WeChat that sign in to an account, of any app. */
export async function listWechatNames(
  db: Db,
  siteId: SiteId,
  userId: UserId,
): Promise<{ kind: `wechat.${string}`; value: string }[]> {
  const { rows } = await sql<{ kind: `wechat.${string}`; value: string }>`SELECT kind, value FROM user_identity
    WHERE site_id = ${siteId} AND user_id = ${userId} AND kind LIKE 'wechat.%'`.execute(db)
  return rows
}
