-- How much each site is used, summed by each process and flushed every 2 seconds.
CREATE EXTENSION IF NOT EXISTS hll;

CREATE TABLE usage_hour (
  site_id uuid NOT NULL,
  hour timestamptz NOT NULL,
  page_access bigint NOT NULL DEFAULT 0,
  authorize_access bigint NOT NULL DEFAULT 0,
  api_access bigint NOT NULL DEFAULT 0,
  -- Exact up to 4,096 people, then within about 1 %.
  authorized_users hll NOT NULL DEFAULT hll_empty(14, 5, 4096, 1),
  accessed_users hll NOT NULL DEFAULT hll_empty(14, 5, 4096, 1),
  PRIMARY KEY (site_id, hour)
);

-- A flush commits with its number, so that one repeated after a lost answer adds nothing.
CREATE TABLE usage_flush (
  process uuid NOT NULL,
  number bigint NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (process, number)
);
CREATE INDEX usage_flush_at ON usage_flush (at);
