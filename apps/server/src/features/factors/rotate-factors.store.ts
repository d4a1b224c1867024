import { sql } from 'kysely'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'

/** A sealed row of either table; a user has one authenticator, whose row has no id. */
export interface SealedFactor {
  table: 'totp' | 'recovery_code'
  siteId: SiteId
  userId: UserId
  id: string | null
  sealed: string
}

/** Some rows that are sealed with another key. */
export async function listOtherKey(
  tx: Db,
  table: SealedFactor['table'],
  keyId: string,
  top: number,
): Promise<SealedFactor[]> {
  const id = table === 'totp' ? sql`NULL::uuid` : sql`id`
  const { rows } = await sql<Omit<SealedFactor, 'table'>>`
    SELECT site_id AS "siteId", user_id AS "userId", ${id} AS id, sealed FROM ${sql.table(table)}
    WHERE NOT starts_with(sealed, ${`sealed:${keyId}:`}) LIMIT ${top} FOR UPDATE`.execute(tx)
  return rows.map((row) => ({ table, ...row }))
}

export async function replaceSealed(tx: Db, { table, siteId, userId, id, sealed }: SealedFactor): Promise<void> {
  await sql`UPDATE ${sql.table(table)} SET sealed = ${sealed}
    WHERE site_id = ${siteId} AND user_id = ${userId} ${id ? sql`AND id = ${id}` : sql``}`.execute(tx)
}
