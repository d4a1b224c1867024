-- Links in notices, by which somebody who is not signed in says that it wasn't them: one for each sign-in or recovery, good once.
CREATE TABLE notice_link (
  site_id uuid NOT NULL,
  hash bytea NOT NULL,
  purpose text NOT NULL CHECK (purpose IN ('disown', 'recovery')),
  user_id uuid NOT NULL,
  -- The session or the recovery that the notice is about.
  subject uuid NOT NULL,
  expires_at timestamptz NOT NULL,
  spent_at timestamptz,
  PRIMARY KEY (site_id, hash),
  UNIQUE (site_id, purpose, subject)
);

SELECT pgboss.create_queue('login-notice', '{"policy": "standard", "retryLimit": 5, "retryBackoff": true}');
