-- What operators did: found by who did it, to whom and what, and never changed.
CREATE INDEX operator_log_by_operator ON operator_log (site_id, operator, at DESC, id);
CREATE INDEX operator_log_by_target ON operator_log (site_id, target, at DESC, id);
CREATE INDEX operator_log_by_action ON operator_log (site_id, action, at DESC, id);

CREATE FUNCTION keep_operator_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'operator_log is only ever added to';
END $$;

-- Partitions, those to come too, inherit what is for each row.
CREATE TRIGGER operator_log_kept BEFORE UPDATE OR DELETE ON operator_log
  FOR EACH ROW EXECUTE FUNCTION keep_operator_log();

-- What is for a whole statement they don't: each is given its own.
CREATE FUNCTION refuse_truncate(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format(
    'CREATE TRIGGER operator_log_whole BEFORE TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION keep_operator_log()', name
  );
END $$;

SELECT refuse_truncate('operator_log');
SELECT refuse_truncate(c.relname)
FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'operator_log'::regclass;

CREATE OR REPLACE FUNCTION make_log_partitions(months_ahead integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  parent text;
  month date;
  name text;
BEGIN
  FOREACH parent IN ARRAY ARRAY['security_log', 'operator_log'] LOOP
    FOR month IN
      SELECT date_trunc('month', now() AT TIME ZONE 'UTC')::date + make_interval(months => n)
      FROM generate_series(0, months_ahead) n
    LOOP
      name := parent || to_char(month, '_YYYY_MM');
      CONTINUE WHEN to_regclass(name) IS NOT NULL;
      EXECUTE format(
        'CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)', name, parent,
        month::timestamp AT TIME ZONE 'UTC', (month + interval '1 month')::timestamp AT TIME ZONE 'UTC'
      );
      IF parent = 'operator_log' THEN
        PERFORM refuse_truncate(name);
      END IF;
    END LOOP;
  END LOOP;
END $$;
