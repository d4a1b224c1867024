import { type EventData, type EventType, eventDays } from '@hufu/contract/event-rules'
import { sql } from 'kysely'
import type { SiteId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { eventTime } from '../../shared/events/event-time.ts'

/** So that one transaction holds the lock of a site's head for milliseconds. */
const numberedAtOnce = 1_000

export async function sitesToNumber(db: Db): Promise<SiteId[]> {
  const { rows } = await sql<{ siteId: SiteId }>`
    SELECT DISTINCT site_id AS "siteId" FROM event WHERE pos IS NULL`.execute(db)
  return rows.map(({ siteId }) => siteId)
}

/** The last position of a site, whose row is locked until the transaction ends. */
async function holdHead(tx: Db, siteId: SiteId): Promise<number> {
  await sql`INSERT INTO event_head (site_id) VALUES (${siteId}) ON CONFLICT DO NOTHING`.execute(tx)
  const { rows } = await sql<{ last: number }>`
    SELECT last::float8 AS last FROM event_head WHERE site_id = ${siteId} FOR UPDATE`.execute(tx)
  return rows[0]?.last ?? 0
}

/**
 * Gives committed events their positions; answers how many. A cursor misses none: what commits later is numbered later.
 * The events are read by a statement of their own, after the lock: its snapshot has all that was numbered before. Only
 * an erasure locks events besides, and those are about to go.
 */
export async function numberEvents(tx: Db, siteId: SiteId): Promise<number> {
  const last = await holdHead(tx, siteId)
  const { numAffectedRows = 0n } = await sql`
    UPDATE event e SET pos = ${last}::bigint + n.number
    FROM (SELECT id, row_number() OVER (ORDER BY at, id) AS number FROM (
        SELECT id, at FROM event WHERE site_id = ${siteId} AND pos IS NULL ORDER BY at, id LIMIT ${numberedAtOnce}
        FOR UPDATE SKIP LOCKED) unnumbered) n
    WHERE e.site_id = ${siteId} AND e.id = n.id`.execute(tx)
  const numbered = Number(numAffectedRows)
  if (numbered > 0) await sql`UPDATE event_head SET last = ${last + numbered} WHERE site_id = ${siteId}`.execute(tx)
  return numbered
}

export interface StoredEvent {
  position: number
  id: string
  type: EventType
  timestamp: string
  data: EventData
}

export interface EventPage {
  /** The last position that was given, and the last that was dropped. */
  last: number
  dropped: number
  events: StoredEvent[]
}

/** Read by one statement, so that `last` is not newer than the events. */
export async function readEvents(
  db: Db,
  siteId: SiteId,
  { after, limit, types }: { after: number; limit: number; types?: readonly EventType[] | undefined },
): Promise<EventPage> {
  const wanted = types ? sql`AND e.type = ANY(${types})` : sql``
  const { rows } = await sql<EventPage>`
    SELECT coalesce(max(h.last), 0)::float8 AS last, coalesce(max(h.dropped), 0)::float8 AS dropped,
      (SELECT coalesce(jsonb_agg(to_jsonb(found) ORDER BY found.position), '[]') FROM (
        SELECT e.pos AS position, e.id, e.type, ${eventTime} AS timestamp, e.data FROM event e
        WHERE e.site_id = ${siteId} AND e.pos > ${after}::bigint ${wanted} ORDER BY e.pos LIMIT ${limit}) found) AS events
    FROM event_head h WHERE h.site_id = ${siteId}`.execute(db)
  return rows[0] ?? { last: 0, dropped: 0, events: [] }
}

const droppedAtOnce = 1_000

/** A batch of those that are too old, with their deliveries; answers whether there may be more. Cursors before them are expired from now on. */
export async function dropOldEvents(tx: Db, siteId: SiteId): Promise<boolean> {
  await holdHead(tx, siteId)
  const { rows } = await sql<{ dropped: number | null; count: number }>`
    WITH old AS (
      DELETE FROM event e USING (SELECT pos FROM event WHERE site_id = ${siteId} AND pos IS NOT NULL
        ORDER BY pos LIMIT ${droppedAtOnce} FOR UPDATE SKIP LOCKED) first
      WHERE e.site_id = ${siteId} AND e.pos = first.pos
        AND e.at < clock_timestamp() - make_interval(days => ${eventDays}) RETURNING e.pos
    )
    SELECT max(pos)::float8 AS dropped, count(*)::int AS count FROM old`.execute(tx)
  const { dropped = null, count = 0 } = rows[0] ?? {}
  if (dropped !== null)
    await sql`UPDATE event_head SET dropped = greatest(dropped, ${dropped}) WHERE site_id = ${siteId}`.execute(tx)
  await sql`DELETE FROM delivery d USING endpoint p, event_head h
    WHERE h.site_id = ${siteId} AND p.site_id = h.site_id AND d.site_id = h.site_id AND d.endpoint_id = p.id
      AND d.pos <= h.dropped`.execute(tx)
  return count === droppedAtOnce
}

export async function sitesWithEvents(db: Db): Promise<SiteId[]> {
  const { rows } = await sql<{ siteId: SiteId }>`SELECT site_id AS "siteId" FROM event_head`.execute(db)
  return rows.map(({ siteId }) => siteId)
}
