import type { OperatorAction } from '@hufu/contract/operators'
import { sql } from 'kysely'
import type { Db } from './db.ts'
import type { SiteId } from './ids.ts'

export interface Deed {
  /** A user's id, or `cli`. */
  operator: string
  action: OperatorAction
  target?: string
  detail?: Record<string, unknown>
}

/** Who did what: written in the transaction of the deed, so that neither exists without the other. */
export async function recordOperator(db: Db, siteId: SiteId, deed: Deed): Promise<void> {
  await db
    .insertInto('operator_log')
    .values({
      site_id: siteId,
      operator: deed.operator,
      action: deed.action,
      target: deed.target ?? null,
      detail: JSON.stringify(deed.detail ?? {}),
    })
    .execute()
}

/** Who looked at what: however often within a minute, it is one line. */
export async function recordLook(
  db: Db,
  siteId: SiteId,
  { operator, action, target }: Required<Omit<Deed, 'detail'>>,
): Promise<void> {
  await sql`INSERT INTO operator_log (site_id, at, id, operator, action, target)
    VALUES (${siteId}, date_trunc('minute', now()), md5(${`${action} ${operator} ${target}`})::uuid, ${operator}, ${action},
      ${target})
    ON CONFLICT (site_id, at, id) DO NOTHING`.execute(db)
}
