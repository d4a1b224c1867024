import type { Db } from './db.ts'
import type { SiteId } from './ids.ts'

export interface OperatorAction {
  /** A user's id, or `cli`. */
  operator: string
  action: string
  target?: string
  detail?: Record<string, unknown>
}

/** Who did what: written in the transaction of the deed, so that neither exists without the other. */
export async function recordOperator(db: Db, siteId: SiteId, entry: OperatorAction): Promise<void> {
  await db
    .insertInto('operator_log')
    .values({
      site_id: siteId,
      operator: entry.operator,
      action: entry.action,
      target: entry.target ?? null,
      detail: JSON.stringify(entry.detail ?? {}),
    })
    .execute()
}
