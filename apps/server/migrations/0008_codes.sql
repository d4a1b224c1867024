-- Verification codes: one live code per receiver and purpose, and every send.

-- Locked while a send is decided, so that two at once can't both pass.
CREATE TABLE receiver (
  site_id uuid NOT NULL,
  receiver text NOT NULL,
  last_sent_at timestamptz,
  PRIMARY KEY (site_id, receiver)
);

CREATE TABLE code (
  site_id uuid NOT NULL,
  receiver text NOT NULL,
  purpose text NOT NULL,
  hmac bytea NOT NULL,
  -- For a resend, which repeats the live code.
  sealed text NOT NULL,
  expires_at timestamptz NOT NULL,
  -- Counted apart for the browser that asked and for all others: nobody can use up somebody else's tries.
  browser_hash bytea,
  own_tries integer NOT NULL DEFAULT 0,
  other_tries integer NOT NULL DEFAULT 0,
  spent_at timestamptz,
  PRIMARY KEY (site_id, receiver, purpose)
);

CREATE TABLE code_send (
  site_id uuid NOT NULL,
  receiver text NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  purpose text NOT NULL,
  outcome text,
  PRIMARY KEY (site_id, receiver, at, id)
) PARTITION BY RANGE (at);
CREATE TABLE code_send_rest PARTITION OF code_send DEFAULT;

CREATE FUNCTION make_code_partitions(days_ahead integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  day date;
BEGIN
  FOR day IN SELECT (now() AT TIME ZONE 'UTC')::date + n FROM generate_series(0, days_ahead) n LOOP
    EXECUTE format(
      'CREATE TABLE IF NOT EXISTS %I PARTITION OF code_send FOR VALUES FROM (%L) TO (%L)',
      'code_send' || to_char(day, '_YYYY_MM_DD'), day::timestamp AT TIME ZONE 'UTC', (day + 1)::timestamp AT TIME ZONE 'UTC'
    );
  END LOOP;
END $$;

CREATE FUNCTION drop_old_codes(days integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  name text;
BEGIN
  FOR name IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'code_send'::regclass AND c.relname ~ '^code_send_\d{4}_\d{2}_\d{2}$'
      AND to_date(right(c.relname, 10), 'YYYY_MM_DD') + 1 < now() - make_interval(days => days)
  LOOP
    EXECUTE format('DROP TABLE %I', name);
  END LOOP;
  DELETE FROM code_send_rest WHERE at < now() - make_interval(days => days);
  DELETE FROM code WHERE expires_at < now() - make_interval(days => days);
  DELETE FROM receiver WHERE last_sent_at < now() - make_interval(days => days);
END $$;

SELECT make_code_partitions(7);

-- A sign-in that waits for the person's word on whose account it is.
CREATE TABLE login_confirm (
  site_id uuid NOT NULL,
  ticket_hash bytea NOT NULL,
  user_id uuid NOT NULL,
  mobile text NOT NULL,
  browser_hash bytea NOT NULL,
  tries integer NOT NULL DEFAULT 0,
  expires_at timestamptz NOT NULL,
  spent_at timestamptz,
  PRIMARY KEY (site_id, ticket_hash)
);
