-- What went wrong with the outside world, by the hour, for the first page of the back-office.
CREATE TABLE trouble (
  site_id uuid NOT NULL,
  kind text NOT NULL,
  hour timestamptz NOT NULL,
  count integer NOT NULL,
  last_at timestamptz NOT NULL,
  -- Of the last one: the number by which the other side names it.
  code integer,
  PRIMARY KEY (site_id, kind, hour)
);
