import { sql } from 'kysely'
import { type IdentityKind, newUserId, type SiteId, type UserId } from '../../platform/ids.ts'
import { assignments } from '../../platform/postgres/assignments.ts'
import type { Db, Row } from '../../platform/postgres/db.ts'
import { recordIdentity, recordUserEvent } from '../../shared/events/record-event.ts'
import { usedSince } from '../../shared/sessions/known-browsers.store.ts'
import { type Authority, withoutStepUp } from '../../shared/step-up/authority.ts'
import { accountStatus } from '../../shared/users/account-status.ts'

export interface Owner {
  userId: UserId
  status: 'active' | 'disabled'
  /** The name was not proved for 90 days. */
  stale: boolean
}

export async function findOwner(db: Db, siteId: SiteId, kind: IdentityKind, value: string): Promise<Owner | undefined> {
  const { rows } = await sql<Owner>`
    SELECT i.user_id AS "userId", ${accountStatus} AS status, i.proved_at < now() - interval '90 days' AS stale
    FROM identity i JOIN users u ON u.site_id = i.site_id AND u.id = i.user_id
    WHERE i.site_id = ${siteId} AND i.kind = ${kind} AND i.value = ${value}`.execute(db)
  return rows[0]
}

/** The owner of a name, in nearly the same time whether or not there is one. */
export async function findOwnerId(
  db: Db,
  siteId: SiteId,
  kind: IdentityKind,
  value: string,
): Promise<UserId | undefined> {
  const { rows } = await sql<{ userId: UserId | null }>`SELECT (SELECT user_id FROM identity
    WHERE site_id = ${siteId} AND kind = ${kind} AND value = ${value}) AS "userId"`.execute(db)
  return rows[0]?.userId ?? undefined
}

/** False when the name isn't theirs any more; else it is locked until the transaction ends. */
export async function noteIdentityProof(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  kind: IdentityKind,
  value: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`UPDATE identity SET proved_at = now()
    WHERE site_id = ${siteId} AND kind = ${kind} AND value = ${value} AND user_id = ${userId}`.execute(db)
  return numAffectedRows === 1n
}

/** False when the name is taken: the primary key decides. */
export async function giveName(
  db: Db,
  _by: Authority,
  siteId: SiteId,
  userId: UserId,
  kind: IdentityKind,
  value: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`INSERT INTO identity (site_id, kind, value, user_id)
    VALUES (${siteId}, ${kind}, ${value}, ${userId}) ON CONFLICT DO NOTHING`.execute(db)
  if (numAffectedRows !== 1n) return false
  await sql`INSERT INTO user_identity (site_id, user_id, kind, value)
    VALUES (${siteId}, ${userId}, ${kind}, ${value})`.execute(db)
  await recordIdentity(db, siteId, userId, 'identity.bound', kind)
  return true
}

export async function takeName(
  db: Db,
  _by: Authority,
  siteId: SiteId,
  userId: UserId,
  kind: IdentityKind,
  value: string,
): Promise<void> {
  const of = sql`site_id = ${siteId} AND user_id = ${userId} AND kind = ${kind} AND value = ${value}`
  const { numAffectedRows } = await sql`DELETE FROM identity WHERE ${of}`.execute(db)
  await sql`DELETE FROM user_identity WHERE ${of}`.execute(db)
  if (numAffectedRows === 1n) await recordIdentity(db, siteId, userId, 'identity.unbound', kind)
}

export interface NewUser {
  mobile?: { prefix: string; number: string; value: string } | undefined
  email?: string | undefined
  username?: string | undefined
  nickname?: string | undefined
}

/** Undefined when one of the names belongs to another user; the transaction must be rolled back then. */
export async function insertUser(db: Db, siteId: SiteId, user: NewUser): Promise<UserId | undefined> {
  const id = newUserId()
  const { mobile, email, username, nickname } = user
  const by = withoutStepUp('registration')
  await sql`INSERT INTO users (site_id, id, nickname, mobile_prefix, mobile, email, username)
    VALUES (${siteId}, ${id}, ${nickname ?? null}, ${mobile?.prefix ?? null}, ${mobile?.number ?? null}, ${email ?? null},
      ${username ?? null})`.execute(db)
  await recordUserEvent(db, siteId, id, 'user.created')
  if (mobile && !(await giveName(db, by, siteId, id, 'mobile', mobile.value))) return undefined
  if (email && !(await giveName(db, by, siteId, id, 'email', email))) return undefined
  if (username && !(await giveName(db, by, siteId, id, 'username', username.toLowerCase()))) return undefined
  return id
}

export async function findPassword(db: Db, siteId: SiteId, userId: UserId): Promise<string | undefined> {
  const { rows } = await sql<Row<'credential', 'secret'>>`SELECT secret FROM credential
    WHERE site_id = ${siteId} AND user_id = ${userId} AND kind = 'password'`.execute(db)
  return rows[0]?.secret
}

/** False when the password has changed; else it is locked until the transaction ends. */
export async function holdPassword(db: Db, siteId: SiteId, userId: UserId, stored: string): Promise<boolean> {
  const { rows } =
    await sql`SELECT FROM credential WHERE site_id = ${siteId} AND user_id = ${userId} AND kind = 'password'
    AND secret = ${stored} FOR SHARE`.execute(db)
  return rows.length === 1
}

/** The same password under another hash, which changes nothing for the user. False when it has changed meanwhile. */
export async function replaceHash(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  former: string,
  secret: string,
): Promise<boolean> {
  const { rows } = await sql`
    WITH former AS (SELECT imported_form FROM credential WHERE site_id = ${siteId} AND user_id = ${userId} AND kind = 'password'
        AND secret = ${former} FOR UPDATE),
      renewed AS (UPDATE credential SET secret = ${secret}, imported_form = NULL FROM former
        WHERE site_id = ${siteId} AND user_id = ${userId} AND kind = 'password' RETURNING former.imported_form AS form),
      fewer AS (UPDATE password_form f SET count = greatest(f.count - 1, 0) FROM renewed r
        WHERE f.site_id = ${siteId} AND f.form = r.form)
    SELECT FROM renewed`.execute(db)
  return rows.length === 1
}

export async function setPassword(
  db: Db,
  _by: Authority,
  siteId: SiteId,
  userId: UserId,
  secret: string,
): Promise<void> {
  await sql`INSERT INTO credential (site_id, user_id, kind, secret) VALUES (${siteId}, ${userId}, 'password', ${secret})
    ON CONFLICT (site_id, user_id, kind) DO UPDATE
      SET secret = excluded.secret, imported_form = NULL, changed_at = now()`.execute(db)
  await recordUserEvent(db, siteId, userId, 'user.updated', ['password'])
}

/** False when it was so already. */
export async function setStatus(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  status: 'active' | 'disabled',
): Promise<boolean> {
  const { numAffectedRows } = await sql`UPDATE users SET status = ${status}
    WHERE site_id = ${siteId} AND id = ${userId} AND status <> ${status}`.execute(db)
  if (numAffectedRows === 0n) return false
  await recordUserEvent(db, siteId, userId, status === 'active' ? 'user.enabled' : 'user.disabled')
  return true
}

export async function grantActions(
  db: Db,
  _by: Authority,
  siteId: SiteId,
  userId: UserId,
  area: string,
  actions: string[],
): Promise<void> {
  // No time of the grant: only the command line grants this way, and has the database already, so the waiting time of a
  // new operator would protect nothing.
  const { rows } = await sql<Row<'permission', 'action'>>`
    INSERT INTO permission (site_id, user_id, area, action, granted_at)
    SELECT ${siteId}::uuid, ${userId}::uuid, ${area}::text, action, NULL FROM unnest(${actions}::text[]) action
    ON CONFLICT DO NOTHING RETURNING action`.execute(db)
  const gained = rows.map(({ action }) => action)
  if (area === 'MERCHANT' && gained.length > 0)
    await recordUserEvent(db, siteId, userId, 'operator.granted', gained.toSorted())
}

export async function knowsBrowser(db: Db, siteId: SiteId, userId: UserId, cookieHash: Buffer): Promise<boolean> {
  const { rows } = await sql`SELECT FROM known_browser
    WHERE site_id = ${siteId} AND user_id = ${userId} AND cookie_hash = ${cookieHash} AND last_used > ${usedSince}`.execute(
    db,
  )
  return rows.length === 1
}

export interface Account extends Row<'users', 'mobile' | 'email' | 'username'> {
  mobilePrefix: string | null
  wechatOpenId: string | null
}

/** Locks the user until the transaction ends, so that changes from two browsers come one after the other. */
export async function holdAccount(db: Db, siteId: SiteId, userId: UserId): Promise<Account | undefined> {
  const { rows } = await sql<Account>`
    SELECT mobile_prefix AS "mobilePrefix", mobile, email, username, wechat_open_id AS "wechatOpenId" FROM users u
    WHERE site_id = ${siteId} AND id = ${userId} AND ${accountStatus} = 'active' FOR UPDATE`.execute(db)
  return rows[0]
}

/** The displayed login names of a user. */
export async function showNames(
  db: Db,
  _by: Authority,
  siteId: SiteId,
  userId: UserId,
  names: Partial<Account>,
): Promise<void> {
  const { mobilePrefix, mobile, email, username } = names
  await sql`UPDATE users SET ${assignments<'users'>({ mobile_prefix: mobilePrefix, mobile, email, username })}
    WHERE site_id = ${siteId} AND id = ${userId}`.execute(db)
}

/** Data of the bound WeChat; undefined where none is. The picture of a former one must not stay. */
export async function showWechatName(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  shown: { wechatOpenId: string | null; wechatNickname: string | null } | undefined,
): Promise<void> {
  const { wechatOpenId = null, wechatNickname = null } = shown ?? {}
  await sql`UPDATE users SET wechat_open_id = ${wechatOpenId}, wechat_nickname = ${wechatNickname},
      wechat_avatar_id = CASE WHEN wechat_open_id IS NOT DISTINCT FROM ${wechatOpenId}::text THEN wechat_avatar_id END
    WHERE site_id = ${siteId} AND id = ${userId}`.execute(db)
}
