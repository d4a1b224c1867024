-- OpenID Connect. What the provider stores: codes, tokens, grants, sign-ins in progress. Only the hash of an id is kept,
-- so a copy of the table opens nothing.
CREATE TABLE oidc_item (
  site_id uuid NOT NULL,
  kind text NOT NULL,
  hash bytea NOT NULL,
  -- The grant that it belongs to, or is. A token is worth nothing once its grant is gone.
  grant_id text,
  user_id uuid,
  client_id text,
  -- json, not jsonb: a NUL that a caller puts into `state` is no error.
  payload json NOT NULL,
  expires_at timestamptz NOT NULL,
  consumed_at timestamptz,
  PRIMARY KEY (site_id, kind, hash)
) WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX oidc_item_of_grant ON oidc_item (site_id, grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX oidc_item_of_user ON oidc_item (site_id, user_id, client_id) WHERE user_id IS NOT NULL;
CREATE INDEX oidc_item_expired ON oidc_item (expires_at);

-- The clients that a session has signed in to. Deleted when the session ends.
CREATE TABLE oidc_login (
  site_id uuid NOT NULL,
  user_id uuid NOT NULL,
  session_id uuid NOT NULL,
  client_id text NOT NULL,
  -- What the client calls the session.
  sid text NOT NULL,
  grant_id text NOT NULL,
  -- Whether the grant outlives a sign-out (offline_access).
  offline boolean NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  last_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (site_id, user_id, session_id, client_id)
);
CREATE INDEX oidc_login_unused ON oidc_login (last_at);

-- What a user lets a third-party client know.
CREATE TABLE oidc_consent (
  site_id uuid NOT NULL,
  user_id uuid NOT NULL,
  client_id text NOT NULL,
  scopes text[] NOT NULL,
  -- Asked for and unticked: not asked again.
  declined text[] NOT NULL DEFAULT '{}',
  -- The version of the site's config that the page was drawn from.
  version bigint NOT NULL,
  given_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (site_id, user_id, client_id)
);

-- Signing keys of a site: `next` is published before it signs, `previous` still verifies.
CREATE TABLE oidc_key (
  site_id uuid NOT NULL,
  kid text NOT NULL,
  stage text NOT NULL CHECK (stage IN ('next', 'current', 'previous')),
  -- The private JWK, encrypted.
  sealed text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  staged_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (site_id, kid)
);
CREATE UNIQUE INDEX oidc_key_stage ON oidc_key (site_id, stage);

-- The secret from which third-party clients' ids of a user are derived, encrypted. It never changes.
CREATE TABLE oidc_salt (
  site_id uuid NOT NULL PRIMARY KEY,
  sealed text NOT NULL
);

-- A client that the user has cut off still learns of an erasure.
ALTER TABLE authorized_client ADD COLUMN revoked_at timestamptz;

SELECT pgboss.create_queue('oidc-logout', '{"policy": "standard", "retryLimit": 8, "retryBackoff": true}');
SELECT pgboss.create_queue('oidc-keys', '{"policy": "standard", "retryLimit": 5, "retryBackoff": true}');
