import type { EventData, EventType } from '@hufu/contract/event-rules'
import { sql } from 'kysely'
import type { Db } from '../../platform/postgres/db.ts'
import { eventTime } from '../../shared/events/event-time.ts'
import type { HeldEndpoint } from '../../shared/events/held-endpoint.ts'

const madeAtOnce = 500
/** Beyond these an endpoint that never answers makes no more. */
const waitingMost = 50_000

const waiting = ({ siteId, id }: Pick<HeldEndpoint, 'siteId' | 'id'>) =>
  sql`site_id = ${siteId} AND endpoint_id = ${id} AND done_at IS NULL`

/** Deliveries of the next events, from the endpoint's position on. Undefined `types` stands for all. */
export async function makeDeliveries(
  tx: Db,
  endpoint: HeldEndpoint,
  types: readonly string[] | undefined,
): Promise<void> {
  const { siteId, id } = endpoint
  const { rows } = await sql<{ pos: string; full: boolean }>`
    SELECT pos, (SELECT count(*) FROM (SELECT FROM delivery WHERE ${waiting(endpoint)} LIMIT ${waitingMost}) w)
      >= ${waitingMost} AS full
    FROM endpoint WHERE site_id = ${siteId} AND id = ${id} FOR UPDATE`.execute(tx)
  const [at] = rows
  if (!at || at.full) return
  const wanted = types ? sql`WHERE type = ANY(${types})` : sql``
  await sql`WITH next AS MATERIALIZED (
      SELECT pos, id, subject, type, data FROM event WHERE site_id = ${siteId} AND pos > ${at.pos}::bigint
      ORDER BY pos LIMIT ${madeAtOnce}
    ), made AS (
      INSERT INTO delivery (site_id, endpoint_id, pos, event_id, subject, ordered_by)
      SELECT ${siteId}, ${id}, pos, id, subject, coalesce(subject::text, data->>'id') FROM next ${wanted}
      ON CONFLICT DO NOTHING
    )
    UPDATE endpoint SET pos = greatest(pos, (SELECT max(pos) FROM next)) WHERE site_id = ${siteId} AND id = ${id}`.execute(
    tx,
  )
}

export interface DueDelivery {
  pos: string
  eventId: string
  type: EventType
  timestamp: string
  data: EventData
}

/** The first of each user, where that is due: the others of that user wait behind it. */
export async function listDue(db: Db, endpoint: HeldEndpoint, most: number): Promise<DueDelivery[]> {
  const { rows } = await sql<DueDelivery>`
    SELECT d.pos, d.event_id AS "eventId", e.type, ${eventTime} AS timestamp, e.data
    FROM (SELECT DISTINCT ON (ordered_by) pos, event_id, site_id, due_at FROM delivery WHERE ${waiting(endpoint)}
      ORDER BY ordered_by, pos) d
    JOIN event e ON e.site_id = d.site_id AND e.id = d.event_id
    WHERE d.due_at <= clock_timestamp() ORDER BY d.pos LIMIT ${most}`.execute(db)
  return rows
}

/** 5 s × 4ⁿ with jitter, 12 hours at most. */
const retryAfter = sql`make_interval(secs => least(43200, 5 * 4 ^ least(10, d.tries)) * (0.9 + 0.2 * random()))`
/** For how long a delivery is tried before its endpoint is disabled. */
const triedDays = 3

/** What came of a try. */
export interface Settled {
  pos: string
  done: boolean
  status?: number
  failure?: string
  answer?: string
  durationMs: number
}

/** Notes what came of a batch; whether one of them has failed for the last time. */
export async function settle(db: Db, { siteId, id }: HeldEndpoint, tried: Settled[]): Promise<{ givenUp: boolean }> {
  const { rows } = await sql<{ givenUp: boolean }>`
    WITH settled AS (
      UPDATE delivery d SET tries = d.tries + 1, last_at = clock_timestamp(), status = t.status, failure = t.failure,
        answer = t.answer, duration_ms = t."durationMs", first_at = coalesce(d.first_at, clock_timestamp()),
        done_at = CASE WHEN t.done THEN clock_timestamp() END,
        due_at = CASE WHEN t.done THEN d.due_at ELSE clock_timestamp() + ${retryAfter} END
      FROM jsonb_to_recordset(${JSON.stringify(tried)}::jsonb)
        t (pos bigint, done boolean, status integer, failure text, answer text, "durationMs" integer)
      WHERE d.site_id = ${siteId} AND d.endpoint_id = ${id} AND d.pos = t.pos AND d.done_at IS NULL
      RETURNING NOT t.done AND d.first_at < clock_timestamp() - make_interval(days => ${triedDays}) AS late
    )
    SELECT coalesce(bool_or(late), false) AS "givenUp" FROM settled`.execute(db)
  return rows[0] ?? { givenUp: false }
}
