import type { Db } from '../../core/db.ts'
import type { SiteId, UserId } from '../../core/ids.ts'

/** By what name the official account knows the person, if their WeChat is bound. */
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
