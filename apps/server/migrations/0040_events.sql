-- What happened on a site, for other systems: written in the transaction of its cause (outbox), kept for 30 days.
CREATE TABLE event (
  site_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  -- Given after the commit, in an order that no later commit can come before; see event_head.
  pos bigint,
  type text NOT NULL,
  -- The user whose erasure erases the event.
  subject uuid,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  data jsonb NOT NULL,
  PRIMARY KEY (site_id, id)
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02);
CREATE UNIQUE INDEX event_pos ON event (site_id, pos) WHERE pos IS NOT NULL;
CREATE INDEX event_unnumbered ON event (site_id, at, id) WHERE pos IS NULL;
CREATE INDEX event_of_subject ON event (site_id, subject) WHERE subject IS NOT NULL;

-- The lock of this row serialises the numbering of a site's events. Positions have no gaps and are never used again,
-- also where the events are gone.
CREATE TABLE event_head (
  site_id uuid NOT NULL PRIMARY KEY,
  last bigint NOT NULL DEFAULT 0,
  -- The last position that was dropped for its age: a cursor before it has missed events.
  dropped bigint NOT NULL DEFAULT 0
);

SELECT pgboss.create_queue('event-drop', '{"policy": "standard", "retryLimit": 5, "retryBackoff": true}');
