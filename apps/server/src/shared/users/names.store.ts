import { sql } from 'kysely'
import type { SiteId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { displayName } from './display-name.ts'

/** Display names of users, where they have one. */
export async function readNames(db: Db, siteId: SiteId, ids: string[]): Promise<Map<string, string | null>> {
  const { rows } = await sql<{ id: string; name: string | null }>`
    SELECT u.id, ${displayName} AS name FROM users u
    WHERE u.site_id = ${siteId} AND u.id = ANY (${ids}::uuid[])`.execute(db)
  return new Map(rows.map(({ id, name }) => [id, name]))
}
