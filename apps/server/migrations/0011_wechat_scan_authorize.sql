-- Signing in by scan: one session for a request, however often the waiting browser asks.
ALTER TABLE session ADD COLUMN scan_hash bytea;
CREATE UNIQUE INDEX session_scan ON session (site_id, user_id, scan_hash) WHERE scan_hash IS NOT NULL;

-- The picture from WeChat, shown while the person has set none.
ALTER TABLE users ADD COLUMN wechat_avatar_id uuid;

-- What may be used once, by the browser it was given to: tickets for navigations, states of a way through WeChat, and
-- who came back from there and is asked what to do.
CREATE TABLE wechat_ticket (
  site_id uuid NOT NULL,
  hash bytea NOT NULL,
  purpose text NOT NULL,
  browser_hash bytea NOT NULL,
  user_id uuid,
  session_id uuid,
  detail jsonb NOT NULL DEFAULT '{}',
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (site_id, hash)
);
CREATE INDEX wechat_ticket_expiry ON wechat_ticket (expires_at);

-- Other sites that sign people in here.
CREATE TABLE authorize_request (
  site_id uuid NOT NULL,
  hash bytea NOT NULL,
  source text NOT NULL,
  state text,
  expires_at timestamptz NOT NULL,
  bound_at timestamptz,
  PRIMARY KEY (site_id, hash)
);
CREATE INDEX authorize_request_expiry ON authorize_request (expires_at);

CREATE TABLE authorize_ticket (
  site_id uuid NOT NULL,
  hash bytea NOT NULL,
  user_id uuid NOT NULL,
  -- The only place it may be exchanged for.
  origin text NOT NULL,
  expires_at timestamptz NOT NULL,
  spent_at timestamptz,
  PRIMARY KEY (site_id, hash)
);
CREATE INDEX authorize_ticket_expiry ON authorize_ticket (expires_at);

SELECT pgboss.create_queue('wechat-avatar', '{"policy": "standard", "retryLimit": 5, "retryBackoff": true}');
