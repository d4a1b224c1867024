-- A person's way back to an account whose number is gone: one at a time, deleted when it ends.
CREATE TABLE recovery (
  site_id uuid NOT NULL,
  user_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  started_at timestamptz NOT NULL DEFAULT now(),
  -- From when, and until when, a new number can be set.
  ready_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (site_id, user_id)
);

-- Held by a browser that gave an account's password; proved once it gave the mailed code, too. Deleted when it is used up.
CREATE TABLE recovery_ticket (
  site_id uuid NOT NULL,
  ticket_hash bytea NOT NULL,
  user_id uuid NOT NULL,
  browser_hash bytea NOT NULL,
  tries integer NOT NULL DEFAULT 0,
  proved_at timestamptz,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (site_id, ticket_hash)
);
CREATE INDEX recovery_ticket_of_user ON recovery_ticket (site_id, user_id);
