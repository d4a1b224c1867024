import { sql } from 'kysely'
import type { Db } from '../../core/db.ts'
import type { SiteId, UserId } from '../../core/ids.ts'

/** At most two of those whose id begins so: whoever asks wants to know whether there is exactly one. */
export async function findUsers(db: Db, siteId: SiteId, idBeginning: string): Promise<UserId[]> {
  const end = (digit: string) =>
    `${idBeginning}${`00000000-0000-0000-0000-000000000000`.replaceAll('0', digit).slice(idBeginning.length)}`
  const { rows } = await sql<{ id: UserId }>`SELECT id FROM users
    WHERE site_id = ${siteId} AND id BETWEEN ${end('0')} AND ${end('f')} LIMIT 2`.execute(db)
  return rows.map(({ id }) => id)
}

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
