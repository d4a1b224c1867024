-- How an account was signed in to before each change of that, for 72 hours: the notice of the change links here, and the
-- owner can put it back.
CREATE TABLE account_change (
  site_id uuid NOT NULL,
  user_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  kind text NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz NOT NULL,
  -- The token of the mailed link; none where no settled address could be mailed.
  link_hash bytea,
  -- Names and contacts before the change.
  former jsonb NOT NULL,
  -- The password's hash before the change.
  former_secret text,
  undone_at timestamptz,
  PRIMARY KEY (site_id, user_id, id)
);
CREATE UNIQUE INDEX account_change_link ON account_change (site_id, link_hash) WHERE link_hash IS NOT NULL;

-- A ticket that was opened by the password before a change: the change, and the address that it was mailed to.
ALTER TABLE recovery_ticket ADD COLUMN change_id uuid;
