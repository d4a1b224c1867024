import { type UndoableKind, undoHours } from '@hufu/contract/undo'
import { sql } from 'kysely'
import { sha256 } from '../../platform/crypto/hash.ts'
import type { IdentityKind, SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'

/** How an account was signed in to: its login names and what it shows of them. */
export interface Snapshot {
  names: { kind: IdentityKind; value: string }[]
  mobilePrefix: string | null
  mobile: string | null
  email: string | null
  username: string | null
  wechatOpenId: string | null
  wechatNickname: string | null
}

export interface AccountChange {
  id: string
  userId: UserId
  kind: UndoableKind
  /** Epoch milliseconds. */
  time: number
  former: Snapshot
  /** The password's hash before the change. */
  formerSecret: string | null
}

/** An account as it is before a change, and when that was, in PostgreSQL's own words. */
export interface Before {
  former: Snapshot
  secret: string | null
  at: string
}

/** Within a transaction that holds the user's lock. */
export async function readSnapshot(tx: Db, siteId: SiteId, userId: UserId): Promise<Before> {
  const { rows } = await sql<Before>`
    SELECT jsonb_build_object('mobilePrefix', u.mobile_prefix, 'mobile', u.mobile, 'email', u.email, 'username', u.username,
        'wechatOpenId', u.wechat_open_id, 'wechatNickname', u.wechat_nickname, 'names', coalesce((
          SELECT jsonb_agg(jsonb_build_object('kind', i.kind, 'value', i.value) ORDER BY i.kind) FROM user_identity i
          WHERE i.site_id = u.site_id AND i.user_id = u.id), '[]')) AS former,
      (SELECT c.secret FROM credential c WHERE c.site_id = u.site_id AND c.user_id = u.id AND c.kind = 'password') AS secret,
      clock_timestamp()::text AS at
    FROM users u WHERE u.site_id = ${siteId} AND u.id = ${userId}`.execute(tx)
  const [row] = rows
  if (!row) throw new Error('the account is gone')
  return row
}

export interface NewChange extends Before {
  kind: UndoableKind
  /** The token of the mailed link, where one is mailed. */
  token: string | undefined
}

export async function insertChange(tx: Db, siteId: SiteId, userId: UserId, change: NewChange): Promise<void> {
  const { kind, former, secret, at, token } = change
  await sql`
    INSERT INTO account_change (site_id, user_id, kind, at, expires_at, link_hash, former, former_secret)
    VALUES (${siteId}, ${userId}, ${kind}, ${at}::timestamptz, clock_timestamp() + make_interval(hours => ${undoHours}),
      ${token === undefined ? null : sha256(token)}, ${JSON.stringify(former)}, ${secret})`.execute(tx)
}

const live = sql`undone_at IS NULL AND expires_at > clock_timestamp()`
const shown = sql`id, user_id AS "userId", kind, floor(extract(epoch FROM at) * 1000)::float8 AS time, former,
  former_secret AS "formerSecret"`

/** The subject of a link, while it is valid; reading doesn't spend it. */
export async function findLinked(db: Db, siteId: SiteId, token: string): Promise<AccountChange | undefined> {
  const { rows } = await sql<AccountChange>`SELECT ${shown} FROM account_change
    WHERE site_id = ${siteId} AND link_hash = ${sha256(token)} AND ${live}`.execute(db)
  return rows[0]
}

/** Newest first. */
export async function listChanges(db: Db, siteId: SiteId, userId: UserId): Promise<AccountChange[]> {
  const { rows } = await sql<AccountChange>`SELECT ${shown} FROM account_change
    WHERE site_id = ${siteId} AND user_id = ${userId} AND ${live} ORDER BY at DESC LIMIT 100`.execute(db)
  return rows
}

/** This change and all later ones can't be undone again, and their links are void. */
export async function markUndone(tx: Db, siteId: SiteId, userId: UserId, id: string): Promise<void> {
  await sql`UPDATE account_change SET undone_at = clock_timestamp()
    WHERE site_id = ${siteId} AND user_id = ${userId} AND at >= (SELECT c.at FROM account_change c
      WHERE c.site_id = ${siteId} AND c.user_id = ${userId} AND c.id = ${id})`.execute(tx)
}

/**
 * The address that the account had before any change of the last 72 hours; undefined where there was none. An attacker
 * who has just set an address must not receive links.
 */
export async function settledEmail(
  db: Db,
  siteId: SiteId,
  userId: UserId,
): Promise<{ email: string | null } | undefined> {
  const { rows } = await sql<{ email: string | null }>`SELECT former->>'email' AS email FROM account_change
    WHERE site_id = ${siteId} AND user_id = ${userId} AND kind = 'email' AND ${live} ORDER BY at LIMIT 1`.execute(db)
  return rows[0]
}

/**
 * The first change of 72 hours that was made while the password from before the first replacement was in force. Going back to
 * it also undoes what was changed before the password was: who takes an account over may change the address first.
 */
export async function findPasswordChange(db: Db, siteId: SiteId, userId: UserId): Promise<AccountChange | undefined> {
  const { rows } = await sql<AccountChange>`SELECT ${shown} FROM account_change
    WHERE site_id = ${siteId} AND user_id = ${userId} AND ${live} AND former_secret = (
      SELECT c.former_secret FROM account_change c
      WHERE c.site_id = ${siteId} AND c.user_id = ${userId} AND c.kind = 'password' AND c.former_secret IS NOT NULL
        AND c.undone_at IS NULL AND c.expires_at > clock_timestamp()
      ORDER BY c.at LIMIT 1)
    ORDER BY at LIMIT 1`.execute(db)
  return rows[0]
}

export async function findChange(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  id: string,
): Promise<AccountChange | undefined> {
  return (await listChanges(db, siteId, userId)).find((change) => change.id === id)
}
