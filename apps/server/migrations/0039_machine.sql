-- What clients read through the management API, summed by the hour; the operator log shows it.
CREATE TABLE machine_read (
  site_id uuid NOT NULL,
  at timestamptz NOT NULL,
  -- `client:` and the client's id, as in the operator log.
  operator text NOT NULL,
  call text NOT NULL,
  count int NOT NULL DEFAULT 1,
  PRIMARY KEY (site_id, at, operator, call)
) WITH (fillfactor = 80);

-- Answers of changes that carried an Idempotency-Key. They hold ids and states, never a name, a number or an address.
CREATE TABLE idempotent_answer (
  site_id uuid NOT NULL,
  client_id text NOT NULL,
  -- SHA-256 of the key.
  key bytea NOT NULL,
  -- SHA-256 of method, address and body: another request must not get this answer.
  request bytea NOT NULL,
  -- Who is at work on it, until when others wait for that.
  holder uuid NOT NULL,
  held_until timestamptz NOT NULL,
  -- NULL until the change is committed, together with it.
  answer jsonb,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (site_id, client_id, key)
) WITH (fillfactor = 80);
CREATE INDEX idempotent_answer_expired ON idempotent_answer (expires_at);
