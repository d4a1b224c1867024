import { sql } from 'kysely'
import type { SiteId, UserId } from '../../platform/ids.ts'
import { counter } from '../../platform/metrics/metrics.ts'
import type { Db } from '../../platform/postgres/db.ts'

const failures = counter('hufu_security_failures_total', 'What failed or was refused, by site and event.')

export interface SecurityEvent {
  event: string
  userId?: UserId | undefined
  /** The address of the user's browser; null where an operator or the system acted. */
  address: string | null
  detail?: Record<string, unknown>
}

/** Actions of others, recorded with their own address. */
export const byOthers: readonly string[] = ['mobile.moved']

/** An event of an account: written in the transaction of its cause. */
export async function recordSecurity(
  db: Db,
  siteId: SiteId,
  { event, userId, address, detail = {} }: SecurityEvent,
): Promise<void> {
  await sql`INSERT INTO security_log (site_id, user_id, event, address, detail)
    VALUES (${siteId}, ${userId ?? null}, ${event}, ${address}, ${JSON.stringify(detail)})`.execute(db)
}

/** Failures, summed per address and minute: a flood of failures is one line with a count. */
export async function recordFailure(db: Db, siteId: SiteId, { event, userId, address }: SecurityEvent): Promise<void> {
  failures.add({ site: siteId, event })
  await sql`INSERT INTO security_log (site_id, at, id, user_id, event, address, detail)
    VALUES (${siteId}, date_trunc('minute', now()), md5(${`${event} ${userId ?? ''} ${address}`})::uuid, ${userId ?? null},
      ${event}, ${address}, '{"count": 1}')
    ON CONFLICT (site_id, at, id) DO UPDATE
      SET detail = jsonb_build_object('count', (security_log.detail->>'count')::int + 1)`.execute(db)
}

/** How often such failures happened to an account lately, as far as they are recorded. */
export async function countFailures(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  events: string[],
  seconds: number,
): Promise<number> {
  const { rows } = await sql<{ failures: number }>`
    SELECT coalesce(sum((detail->>'count')::int), 0)::int AS failures FROM security_log
    WHERE site_id = ${siteId} AND user_id = ${userId} AND at > now() - make_interval(secs => ${seconds})
      AND event = ANY(${events})`.execute(db)
  return rows[0]?.failures ?? 0
}
