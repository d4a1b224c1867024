import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'

/** The user's openid at the official account, if their WeChat is bound. */
export async function findOpenid(db: Db, siteId: SiteId, userId: UserId, appId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('user_identity')
    .select('value')
    .where('site_id', '=', siteId)
    .where('user_id', '=', userId)
    .where('kind', '=', `wechat.openid:${appId}`)
    .executeTakeFirst()
  return row?.value
}
