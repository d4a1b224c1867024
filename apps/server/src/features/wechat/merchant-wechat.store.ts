import { sql } from 'kysely'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Db, Row } from '../../platform/postgres/db.ts'

/** The user's openid at the official account, if their WeChat is bound. */
export async function findOpenid(db: Db, siteId: SiteId, userId: UserId, appId: string): Promise<string | undefined> {
  const { rows } = await sql<Row<'user_identity', 'value'>>`SELECT value FROM user_identity
    WHERE site_id = ${siteId} AND user_id = ${userId} AND kind = ${`wechat.openid:${appId}`}`.execute(db)
  return rows[0]?.value
}
