-- What happened to accounts (kept 183 days) and what operators did (kept for good), partitioned by month.

CREATE TABLE security_log (
  site_id uuid NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  user_id uuid,
  event text NOT NULL,
  address inet,
  detail jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (site_id, at, id)
) PARTITION BY RANGE (at);
CREATE INDEX security_log_of_user ON security_log (site_id, user_id, at DESC, id);

CREATE TABLE operator_log (
  site_id uuid NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  -- A user's id, or 'cli' for whoever holds the server.
  operator text NOT NULL,
  action text NOT NULL,
  target text,
  detail jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (site_id, at, id)
) PARTITION BY RANGE (at);

-- Rows whose month has no partition yet land here, so that a missed job never loses a line.
CREATE TABLE security_log_rest PARTITION OF security_log DEFAULT;
CREATE TABLE operator_log_rest PARTITION OF operator_log DEFAULT;

-- Makes the partitions of this month and the next ones; safe to run again and again.
CREATE FUNCTION make_log_partitions(months_ahead integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  parent text;
  month date;
BEGIN
  FOREACH parent IN ARRAY ARRAY['security_log', 'operator_log'] LOOP
    FOR month IN
      SELECT date_trunc('month', now() AT TIME ZONE 'UTC')::date + make_interval(months => n)
      FROM generate_series(0, months_ahead) n
    LOOP
      EXECUTE format(
        'CREATE TABLE IF NOT EXISTS %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)',
        parent || to_char(month, '_YYYY_MM'), parent,
        month::timestamp AT TIME ZONE 'UTC', (month + interval '1 month')::timestamp AT TIME ZONE 'UTC'
      );
    END LOOP;
  END LOOP;
END $$;

-- Drops months of the security log that ended more than the given days ago.
CREATE FUNCTION drop_old_security_log(days integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  name text;
BEGIN
  FOR name IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'security_log'::regclass AND c.relname ~ '^security_log_\d{4}_\d{2}$'
      AND to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' < now() - make_interval(days => days)
  LOOP
    EXECUTE format('DROP TABLE %I', name);
  END LOOP;
  DELETE FROM security_log_rest WHERE at < now() - make_interval(days => days);
END $$;

SELECT make_log_partitions(2);
