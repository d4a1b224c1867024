import type { OperatorAction } from '@hufu/contract/operators'
import { sql } from 'kysely'
import type { SiteId } from '../../platform/ids.ts'
import { counter } from '../../platform/metrics/metrics.ts'
import type { Db } from '../../platform/postgres/db.ts'

/** Counted where it is written, so one that is rolled back counts too: an alert may be early, never late. */
const actionsTotal = counter('hufu_operator_actions_total', 'What operators did, by site and action.')

export interface OperatorLogEntry {
  /** A user's id; on the command line `cli:` and a name. */
  operator: string
  action: OperatorAction
  target?: string
  detail?: Record<string, unknown>
}

/** Who did what: written in the transaction of the action, so that neither exists without the other. */
export async function recordOperator(db: Db, siteId: SiteId, entry: OperatorLogEntry): Promise<void> {
  actionsTotal.add({ site: siteId, action: entry.action })
  const { operator, action, target = null, detail = {} } = entry
  await sql`INSERT INTO operator_log (site_id, operator, action, target, detail)
    VALUES (${siteId}, ${operator}, ${action}, ${target}, ${JSON.stringify(detail)})`.execute(db)
}

/** Who read what: however often within a minute, it is one line. */
export async function recordLook(
  db: Db,
  siteId: SiteId,
  { operator, action, target }: Required<Omit<OperatorLogEntry, 'detail'>>,
): Promise<void> {
  const { numAffectedRows } = await sql`INSERT INTO operator_log (site_id, at, id, operator, action, target)
    VALUES (${siteId}, date_trunc('minute', now()), md5(${`${action} ${operator} ${target}`})::uuid, ${operator}, ${action},
      ${target})
    ON CONFLICT (site_id, at, id) DO NOTHING`.execute(db)
  if (numAffectedRows === 1n) actionsTotal.add({ site: siteId, action })
}
