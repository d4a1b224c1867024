-- Accounts that are to be erased, and when.
CREATE TABLE deletion (
  site_id uuid NOT NULL,
  user_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  requested_at timestamptz NOT NULL DEFAULT now(),
  due_at timestamptz NOT NULL,
  -- Until when somebody is at it, and when the last mail had gone.
  held_until timestamptz,
  told_at timestamptz,
  PRIMARY KEY (site_id, user_id)
);
CREATE INDEX deletion_due ON deletion (due_at);

-- Which other sites have learnt who somebody is.
CREATE TABLE authorized_client (
  site_id uuid NOT NULL,
  user_id uuid NOT NULL,
  client_id text NOT NULL,
  first_at timestamptz NOT NULL DEFAULT now(),
  last_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (site_id, user_id, client_id)
);

SELECT pgboss.create_queue('client-told', '{"policy": "standard", "retryLimit": 5, "retryBackoff": true}');
