import { sql } from 'kysely'
import type { SiteId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { HeldEndpoint } from '../../shared/events/held-endpoint.ts'

/** How long a worker may deliver without a sign of life; more than one batch takes. */
const heldSeconds = 30

const of = ({ siteId, id }: Pick<HeldEndpoint, 'siteId' | 'id'>) => sql`site_id = ${siteId} AND id = ${id}`

/** Endpoints with something to deliver that no other worker holds. */
export async function holdEndpoints(db: Db, worker: string, most: number): Promise<HeldEndpoint[]> {
  const { rows } = await sql<HeldEndpoint>`
    UPDATE endpoint e SET held_by = ${worker}, held_until = clock_timestamp() + make_interval(secs => ${heldSeconds}),
      next_at = least(e.next_at, clock_timestamp())
    FROM (SELECT site_id, id FROM endpoint f
      WHERE disabled_at IS NULL AND (held_until IS NULL OR held_until <= clock_timestamp())
        AND (rest_until IS NULL OR rest_until <= clock_timestamp())
        AND (next_at <= clock_timestamp() OR pos < (SELECT last FROM event_head h WHERE h.site_id = f.site_id))
      LIMIT ${most} FOR UPDATE SKIP LOCKED) free
    WHERE e.site_id = free.site_id AND e.id = free.id
    RETURNING e.site_id AS "siteId", e.id, e.url, e.held_by AS worker`.execute(db)
  return rows
}

/** Goes on holding it; undefined where another worker does by now, or it is to be left alone. */
export async function renewHold(db: Db, endpoint: HeldEndpoint): Promise<{ failures: number } | undefined> {
  const { rows } = await sql<{ failures: number }>`
    UPDATE endpoint SET held_until = clock_timestamp() + make_interval(secs => ${heldSeconds})
    WHERE ${of(endpoint)} AND held_by = ${endpoint.worker} AND disabled_at IS NULL
      AND (rest_until IS NULL OR rest_until <= clock_timestamp()) RETURNING failures`.execute(db)
  return rows[0]
}

/** Other workers may have it. What a crash leaves behind is due at once. */
export async function releaseEndpoint(db: Db, endpoint: HeldEndpoint): Promise<void> {
  const { siteId, id, worker } = endpoint
  await sql`UPDATE endpoint SET held_by = NULL, held_until = NULL, next_at = (SELECT min(due_at) FROM (
      SELECT DISTINCT ON (ordered_by) due_at FROM delivery
      WHERE site_id = ${siteId} AND endpoint_id = ${id} AND done_at IS NULL ORDER BY ordered_by, pos) heads)
    WHERE ${of(endpoint)} AND held_by = ${worker}`.execute(db)
}

/** False where it was disabled already. */
export async function disableEndpoint(
  tx: Db,
  endpoint: Pick<HeldEndpoint, 'siteId' | 'id' | 'url'>,
  reason: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`UPDATE endpoint SET disabled_at = clock_timestamp(), disabled_for = ${reason}
    WHERE ${of(endpoint)} AND url = ${endpoint.url} AND disabled_at IS NULL`.execute(tx)
  return numAffectedRows === 1n
}

/** Everything that waits is due, with all its tries. False where there is no such endpoint. */
export async function resumeEndpoint(tx: Db, siteId: SiteId, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`UPDATE endpoint SET disabled_at = NULL, disabled_for = NULL, failures = 0,
      rest_until = NULL, next_at = clock_timestamp() WHERE ${of({ siteId, id })}`.execute(tx)
  if (numAffectedRows === 0n) return false
  await sql`UPDATE delivery SET due_at = clock_timestamp(), first_at = NULL, tries = 0
    WHERE site_id = ${siteId} AND endpoint_id = ${id} AND done_at IS NULL`.execute(tx)
  return true
}

/** From how many failures in a row a receiver is tried with one delivery at a time, with pauses. */
export const failuresToRest = 16
const restMostSeconds = 300

/** It answered: the wait of what failed before is over with the failures. */
export async function noteHealthy(db: Db, endpoint: HeldEndpoint, failures: number): Promise<void> {
  if (failures === 0) return
  await sql`UPDATE endpoint SET failures = 0, rest_until = NULL WHERE ${of(endpoint)}`.execute(db)
  if (failures < failuresToRest) return
  await sql`UPDATE delivery SET due_at = clock_timestamp() WHERE site_id = ${endpoint.siteId}
    AND endpoint_id = ${endpoint.id} AND done_at IS NULL AND due_at > clock_timestamp()`.execute(db)
}

export async function noteFailing(db: Db, endpoint: HeldEndpoint, more: number): Promise<void> {
  await sql`UPDATE endpoint SET failures = failures + ${more},
      rest_until = CASE WHEN failures + ${more} >= ${failuresToRest} THEN clock_timestamp()
        + make_interval(secs => least(${restMostSeconds}, 5 * 2 ^ least(10, failures + ${more} - ${failuresToRest}))) END
    WHERE ${of(endpoint)}`.execute(db)
}

export interface EndpointState {
  id: string
  url: string
  state: 'active' | 'disabled'
  /** Why it was disabled: it was gone, or kept failing. */
  reason: string | null
  failures: number
  /** Events that it hasn't confirmed yet. */
  waiting: number
  /** How long the first of them has waited, in seconds. */
  lag: number
}

const countedMost = 10_000

export async function listEndpointStates(db: Db, siteId: SiteId): Promise<EndpointState[]> {
  const { rows } = await sql<EndpointState>`
    SELECT e.id, e.url, CASE WHEN e.disabled_at IS NULL THEN 'active' ELSE 'disabled' END AS state,
      e.disabled_for AS reason, e.failures, w.waiting, w.lag
    FROM endpoint e CROSS JOIN LATERAL (
      SELECT count(*)::int AS waiting, coalesce(extract(epoch FROM clock_timestamp() - min(v.at)), 0)::float8 AS lag
      FROM (SELECT v.at FROM delivery d JOIN event v ON v.site_id = d.site_id AND v.id = d.event_id
        WHERE d.site_id = e.site_id AND d.endpoint_id = e.id AND d.done_at IS NULL
        UNION ALL SELECT v.at FROM event v WHERE v.site_id = e.site_id AND v.pos > e.pos LIMIT ${countedMost}) v) w
    WHERE e.site_id = ${siteId} ORDER BY e.id`.execute(db)
  return rows
}
