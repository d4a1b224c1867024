-- Signed-in browsers.

CREATE TABLE session (
  site_id uuid NOT NULL,
  user_id uuid NOT NULL,
  id uuid NOT NULL,
  secret_hash bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  method text NOT NULL,
  browser text NOT NULL,
  device text NOT NULL,
  os text NOT NULL,
  address inet NOT NULL,
  region text,
  browser_hash bytea,
  two_factor_at timestamptz,
  ended_at timestamptz,
  end_reason text,
  PRIMARY KEY (site_id, user_id, id)
);
CREATE INDEX session_live ON session (site_id, user_id, created_at DESC, id) WHERE ended_at IS NULL;

CREATE TABLE session_access (
  site_id uuid NOT NULL,
  user_id uuid NOT NULL,
  session_id uuid NOT NULL,
  last_access timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (site_id, user_id, session_id)
);

-- Browsers that have signed in to an account before.
CREATE TABLE known_browser (
  site_id uuid NOT NULL,
  user_id uuid NOT NULL,
  cookie_hash bytea NOT NULL,
  first_seen timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (site_id, user_id, cookie_hash)
);
