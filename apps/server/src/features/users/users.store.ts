import { sql } from 'kysely'
import { type IdentityKind, newUserId, type SiteId, type UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
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
  const { numUpdatedRows } = await db
    .updateTable('identity')
    .set({ proved_at: sql`now()` })
    .where('site_id', '=', siteId)
    .where('kind', '=', kind)
    .where('value', '=', value)
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
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
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('identity')
    .values({ site_id: siteId, kind, value, user_id: userId })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  if (numInsertedOrUpdatedRows !== 1n) return false
  await db.insertInto('user_identity').values({ site_id: siteId, user_id: userId, kind, value }).execute()
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
  for (const table of ['identity', 'user_identity'] as const) {
    await db
      .deleteFrom(table)
      .where('site_id', '=', siteId)
      .where('user_id', '=', userId)
      .where('kind', '=', kind)
      .where('value', '=', value)
      .execute()
  }
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
  await db
    .insertInto('users')
    .values({
      site_id: siteId,
      id,
      nickname: nickname ?? null,
      mobile_prefix: mobile?.prefix ?? null,
      mobile: mobile?.number ?? null,
      email: email ?? null,
      username: username ?? null,
    })
    .execute()
  if (mobile && !(await giveName(db, by, siteId, id, 'mobile', mobile.value))) return undefined
  if (email && !(await giveName(db, by, siteId, id, 'email', email))) return undefined
  if (username && !(await giveName(db, by, siteId, id, 'username', username.toLowerCase()))) return undefined
  return id
}

export async function findPassword(db: Db, siteId: SiteId, userId: UserId): Promise<string | undefined> {
  const row = await db
    .selectFrom('credential')
    .select('secret')
    .where('site_id', '=', siteId)
    .where('user_id', '=', userId)
    .where('kind', '=', 'password')
    .executeTakeFirst()
  return row?.secret
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
  const { rows } =
    await sql`UPDATE credential SET secret = ${secret} WHERE site_id = ${siteId} AND user_id = ${userId} AND kind = 'password'
    AND secret = ${former} RETURNING 1`.execute(db)
  return rows.length === 1
}

export async function setPassword(
  db: Db,
  _by: Authority,
  siteId: SiteId,
  userId: UserId,
  secret: string,
): Promise<void> {
  await db
    .insertInto('credential')
    .values({ site_id: siteId, user_id: userId, kind: 'password', secret })
    .onConflict((conflict) =>
      conflict.columns(['site_id', 'user_id', 'kind']).doUpdateSet({ secret, changed_at: sql`now()` }),
    )
    .execute()
}

/** False when it was so already. */
export async function setStatus(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  status: 'active' | 'disabled',
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set({ status })
    .where('site_id', '=', siteId)
    .where('id', '=', userId)
    .where('status', '!=', status)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

export async function grantActions(
  db: Db,
  _by: Authority,
  siteId: SiteId,
  userId: UserId,
  area: string,
  actions: string[],
): Promise<void> {
  await db
    .insertInto('permission')
    // Only the command line grants this way, and has the database already: the waiting time of a new operator would
    // protect nothing.
    .values(actions.map((action) => ({ site_id: siteId, user_id: userId, area, action, granted_at: null })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function knowsBrowser(db: Db, siteId: SiteId, userId: UserId, cookieHash: Buffer): Promise<boolean> {
  const row = await db
    .selectFrom('known_browser')
    .select('first_seen')
    .where('site_id', '=', siteId)
    .where('user_id', '=', userId)
    .where('cookie_hash', '=', cookieHash)
    .where('last_used', '>', usedSince)
    .executeTakeFirst()
  return row !== undefined
}

export interface Account {
  mobilePrefix: string | null
  mobile: string | null
  email: string | null
  username: string | null
  wechatOpenId: string | null
}

/** Locks the user until the transaction ends, so that changes from two browsers come one after the other. */
export async function holdAccount(db: Db, siteId: SiteId, userId: UserId): Promise<Account | undefined> {
  return await db
    .selectFrom('users as u')
    .select(['mobile_prefix as mobilePrefix', 'mobile', 'email', 'username', 'wechat_open_id as wechatOpenId'])
    .where('site_id', '=', siteId)
    .where('id', '=', userId)
    .where(accountStatus, '=', 'active')
    .forUpdate()
    .executeTakeFirst()
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
  await db
    .updateTable('users')
    .set({
      ...(mobilePrefix !== undefined && { mobile_prefix: mobilePrefix }),
      ...(mobile !== undefined && { mobile }),
      ...(email !== undefined && { email }),
      ...(username !== undefined && { username }),
    })
    .where('site_id', '=', siteId)
    .where('id', '=', userId)
    .execute()
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
