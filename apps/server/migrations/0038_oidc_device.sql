-- The devices without a keyboard that a session has signed in to a client. Each has a grant of its own, so signing one
-- out leaves the others; all end with the session like its own logins (oidc_login).
CREATE TABLE oidc_device_login (
  site_id uuid NOT NULL,
  user_id uuid NOT NULL,
  session_id uuid NOT NULL,
  client_id text NOT NULL,
  -- What the client calls this sign-in.
  sid text NOT NULL,
  grant_id text NOT NULL,
  -- Whether the grant outlives a sign-out (offline_access).
  offline boolean NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (site_id, user_id, grant_id)
);
CREATE INDEX oidc_device_login_of_grant ON oidc_device_login (site_id, grant_id);
CREATE INDEX oidc_device_login_old ON oidc_device_login (created_at);
