-- no transaction
-- Users that came from a file, and the hashes of passwords that came with them.

-- How far an import is: a row commits with each batch, so that a killed one resumes without losing or repeating a row.
-- Holds no data of a user.
CREATE TABLE IF NOT EXISTS user_import (
  site_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  operator text NOT NULL,
  -- Of the file and of the options that decide what a row means.
  fingerprint bytea NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(),
  -- When the last batch was committed.
  active_at timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz,
  -- After the last decided record: bytes and lines of the file.
  bytes bigint NOT NULL DEFAULT 0,
  lines bigint NOT NULL DEFAULT 0,
  imported bigint NOT NULL DEFAULT 0,
  refused bigint NOT NULL DEFAULT 0,
  -- The length of the report up to there.
  report_bytes bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (site_id, id)
);

-- One that is not finished, for each file.
CREATE UNIQUE INDEX IF NOT EXISTS user_import_unfinished ON user_import (site_id, fingerprint) WHERE finished_at IS NULL;

-- The parameters of a password hash that another system made; null for our own. Cleared with the first sign-in.
ALTER TABLE credential ADD COLUMN IF NOT EXISTS imported_form text;

SET lock_timeout = 0;

-- What was left half built.
SELECT format('DROP INDEX CONCURRENTLY %s', i.indexrelid::regclass)
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE NOT i.indisvalid AND c.relname = 'credential_imported';

CREATE INDEX CONCURRENTLY IF NOT EXISTS credential_imported ON credential (site_id, imported_form)
  WHERE imported_form IS NOT NULL;

SET lock_timeout = '5s';

-- How many passwords of a site have which form, '' for our own: a name without an account takes as long to refuse as one of
-- these does. Sites without imported hashes have no row.
CREATE TABLE IF NOT EXISTS password_form (
  site_id uuid NOT NULL,
  form text NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (site_id, form)
);

-- As they are now: changed and erased passwords aren't subtracted one by one.
CREATE OR REPLACE FUNCTION recount_password_forms() RETURNS void LANGUAGE sql AS $$
  UPDATE password_form f SET count = (SELECT count(*) FROM credential c
    WHERE c.site_id = f.site_id AND c.kind = 'password' AND (f.form = '' OR c.imported_form = f.form))
$$;
