-- Operators' lists of people: any page at any size, searches, and files made from them.

-- People in the order in which they came, in buckets of 512: each row is the newest key of one, the bucket reaching back to
-- the row before it. What is newer than the newest row is counted when asked for.
CREATE TABLE user_bucket (
  site_id uuid NOT NULL,
  listed_at timestamptz NOT NULL,
  id uuid NOT NULL,
  count integer NOT NULL,
  PRIMARY KEY (site_id, listed_at, id)
);

-- What an expression is made of stands beside it: without that a count would have to visit every row.
CREATE INDEX users_last_four ON users (site_id, "right"(mobile, 4), listed_at DESC, id DESC) INCLUDE (mobile)
  WHERE mobile IS NOT NULL;
CREATE INDEX users_by_nickname ON users (site_id, lower(coalesce(nickname, wechat_nickname)) text_pattern_ops, id)
  INCLUDE (nickname, wechat_nickname) WHERE coalesce(nickname, wechat_nickname) IS NOT NULL;
CREATE INDEX users_disabled ON users (site_id, listed_at DESC, id DESC) WHERE status = 'disabled';
CREATE INDEX permission_by_action ON permission (site_id, area, action, user_id);

CREATE TABLE user_export (
  site_id uuid NOT NULL,
  id uuid NOT NULL,
  operator_id uuid NOT NULL,
  -- The search or filter.
  wanted jsonb NOT NULL,
  status text NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'running', 'done', 'failed')),
  -- Rows and parts that are written, about how many rows there will be, and the last one written.
  done integer NOT NULL DEFAULT 0,
  parts integer NOT NULL DEFAULT 0,
  total integer NOT NULL,
  cursor jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  PRIMARY KEY (site_id, id)
);
-- One at a time.
CREATE UNIQUE INDEX user_export_unfinished ON user_export (site_id, operator_id) WHERE status IN ('waiting', 'running');
CREATE INDEX user_export_of_operator ON user_export (site_id, operator_id, created_at DESC);

CREATE TABLE user_export_part (
  site_id uuid NOT NULL,
  export_id uuid NOT NULL,
  number integer NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (site_id, export_id, number)
);
-- Compressed already.
ALTER TABLE user_export_part ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- Files that can no longer be fetched, and what was begun and never finished.
CREATE FUNCTION drop_old_exports() RETURNS void LANGUAGE sql AS $$
  WITH old AS (
    DELETE FROM user_export WHERE coalesce(expires_at, created_at + interval '2 days') < now() RETURNING site_id, id)
  DELETE FROM user_export_part p USING old WHERE p.site_id = old.site_id AND p.export_id = old.id
$$;

SELECT pgboss.create_queue('user-export-failed', '{"policy": "standard", "retryLimit": 5, "retryBackoff": true}');
SELECT pgboss.create_queue('user-export', '{"policy": "standard", "retryLimit": 5, "retryBackoff": true}');
