-- What people take with them, what is erased, and what the law keeps of those who are gone.

CREATE TABLE data_export (
  site_id uuid NOT NULL,
  user_id uuid NOT NULL,
  -- The archive is the blob of the same id.
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  status text NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'running', 'done', 'failed')),
  -- Sections that are written, and how many there will be.
  done integer NOT NULL DEFAULT 0,
  total integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  PRIMARY KEY (site_id, user_id, id)
);
-- One at a time.
CREATE UNIQUE INDEX data_export_unfinished ON data_export (site_id, user_id) WHERE status IN ('waiting', 'running');

-- Archives that can no longer be fetched, and what was begun and never finished.
CREATE FUNCTION drop_old_data_exports() RETURNS void LANGUAGE sql AS $$
  WITH old AS (
    DELETE FROM data_export WHERE coalesce(expires_at, created_at + interval '2 days') < clock_timestamp()
    RETURNING site_id, id)
  DELETE FROM blob b USING old WHERE b.site_id = old.site_id AND b.id = old.id AND b.kind = 'export'
$$;

SELECT pgboss.create_queue('data-export-failed', '{"policy": "standard", "retryLimit": 5, "retryBackoff": true}');
SELECT pgboss.create_queue('data-export', '{"policy": "standard", "retryLimit": 5, "retryBackoff": true}');

-- Who signed in, from which address, when: of people whose account was erased, each row encrypted. Read by the command line alone.
CREATE TABLE sealed_sign_in (
  site_id uuid NOT NULL,
  user_id uuid NOT NULL,
  at timestamptz NOT NULL,
  id uuid NOT NULL,
  sealed text NOT NULL,
  PRIMARY KEY (site_id, user_id, at, id)
);
CREATE INDEX sealed_sign_in_at ON sealed_sign_in (at);

CREATE INDEX notice_link_of_user ON notice_link (site_id, user_id);
