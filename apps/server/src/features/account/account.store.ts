import type { Db } from '../../core/db.ts'
import type { SiteId, UserId } from '../../core/ids.ts'

export interface Account {
  mobilePrefix: string | null
  mobile: string | null
  email: string | null
  username: string | null
}

/** Locks the person until the transaction ends, so that changes from two browsers come one after the other. */
export async function holdAccount(db: Db, siteId: SiteId, userId: UserId): Promise<Account | undefined> {
  return await db
    .selectFrom('users')
    .select(['mobile_prefix as mobilePrefix', 'mobile', 'email', 'username'])
    .where('site_id', '=', siteId)
    .where('id', '=', userId)
    .where('status', '=', 'active')
    .forUpdate()
    .executeTakeFirst()
}

/** What is shown of the names that somebody signs in with. */
export async function showNames(db: Db, siteId: SiteId, userId: UserId, names: Partial<Account>): Promise<void> {
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
