-- Receivers of events. Which there are, their secrets and what they want is in the config of the site.
CREATE TABLE endpoint (
  site_id uuid NOT NULL,
  id text NOT NULL,
  url text NOT NULL,
  -- Every event up to here has a delivery, or isn't wanted.
  pos bigint NOT NULL,
  -- When the first of what waits is due; null where nothing waits.
  next_at timestamptz,
  -- The worker that delivers, and until when no other one may. It renews that while it does.
  held_by uuid,
  held_until timestamptz,
  -- Failures in a row, and until when a receiver that keeps failing is left alone.
  failures integer NOT NULL DEFAULT 0,
  rest_until timestamptz,
  -- Nothing is delivered until an operator resumes it.
  disabled_at timestamptz,
  disabled_for text,
  PRIMARY KEY (site_id, id)
);

-- One for each event and receiver, made shortly before it is delivered and kept with its event.
CREATE TABLE delivery (
  site_id uuid NOT NULL,
  endpoint_id text NOT NULL,
  pos bigint NOT NULL,
  event_id uuid NOT NULL,
  subject uuid,
  -- Those of one value are delivered one after the other.
  ordered_by text NOT NULL,
  tries integer NOT NULL DEFAULT 0,
  due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Of the first try since the endpoint was resumed, and of the last one.
  first_at timestamptz,
  last_at timestamptz,
  done_at timestamptz,
  -- The last answer: the HTTP status or why there was none, and the beginning of its body.
  status integer,
  failure text,
  duration_ms integer,
  answer text,
  PRIMARY KEY (site_id, endpoint_id, pos)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX delivery_waiting ON delivery (site_id, endpoint_id, ordered_by, pos) WHERE done_at IS NULL;
CREATE INDEX delivery_of_subject ON delivery (site_id, subject) WHERE subject IS NOT NULL;
