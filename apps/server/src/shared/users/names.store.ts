import { sql } from 'kysely'
import type { SiteId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'

/** Display names of users, where they have one. */
export async function readNames(db: Db, siteId: SiteId, ids: string[]): Promise<Map<string, string | null>> {
  const { rows } = await sql<{ id: string; name: string | null }>`
    SELECT id, coalesce(nickname, wechat_nickname, username) AS name FROM users
    WHERE site_id = ${siteId} AND id = ANY (${ids}::uuid[])`.execute(db)
  return new Map(rows.map(({ id, name }) => [id, name]))
}
