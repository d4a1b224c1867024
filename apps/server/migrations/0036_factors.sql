-- Second factors. An account is protected while it has a passkey or a confirmed authenticator; the flag is written with
-- them, so that a sign-in reads it with the user.
ALTER TABLE users ADD COLUMN protected boolean NOT NULL DEFAULT false;

-- When a second factor was last proved in a session.
ALTER TABLE session ADD COLUMN factor_at timestamptz;

-- Until when a customer's browser signs in without the second step. It ends with the row.
ALTER TABLE known_browser ADD COLUMN trusted_until timestamptz;

CREATE TABLE passkey (
  site_id uuid NOT NULL,
  user_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  -- The host that it was made for: after a change of the site's address browsers no longer offer it.
  rp_id text NOT NULL,
  credential_id bytea NOT NULL,
  public_key bytea NOT NULL,
  counter bigint NOT NULL,
  transports text[] NOT NULL DEFAULT '{}',
  synced boolean NOT NULL,
  aaguid text NOT NULL,
  name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  last_used_at timestamptz,
  PRIMARY KEY (site_id, user_id, id)
);
CREATE UNIQUE INDEX passkey_credential ON passkey (site_id, credential_id);

CREATE TABLE totp (
  site_id uuid NOT NULL,
  user_id uuid NOT NULL,
  sealed text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Null until a code of it was given.
  confirmed_at timestamptz,
  -- The step of the last code that was accepted: none of it or before it counts again.
  last_step bigint NOT NULL DEFAULT 0,
  last_used_at timestamptz,
  PRIMARY KEY (site_id, user_id)
);

-- Hashed, and the hash sealed: a keyed hash would be void once its key is removed, and with it every user's codes.
CREATE TABLE recovery_code (
  site_id uuid NOT NULL,
  user_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  sealed text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  spent_at timestamptz,
  PRIMARY KEY (site_id, user_id, id)
);

-- Guesses of codes, of an authenticator and of recovery codes alike, in a window. Browsers that the account knows are
-- counted apart from strangers.
CREATE TABLE factor_tries (
  site_id uuid NOT NULL,
  user_id uuid NOT NULL,
  known boolean NOT NULL,
  tries integer NOT NULL DEFAULT 0,
  since timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (site_id, user_id, known)
);

-- Held by a browser that gave the first proof of a protected account. Deleted when it is used up.
CREATE TABLE factor_ticket (
  site_id uuid NOT NULL,
  ticket_hash bytea NOT NULL,
  user_id uuid NOT NULL,
  browser_hash bytea NOT NULL,
  -- By what the sign-in began, and the version of the agreements that was agreed to.
  method text NOT NULL,
  agreements text,
  tries integer NOT NULL DEFAULT 0,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (site_id, ticket_hash)
);
CREATE INDEX factor_ticket_of_user ON factor_ticket (site_id, user_id);

-- Challenges that were answered: each counts once. They carry their own signature, so none is stored before.
CREATE TABLE spent_challenge (
  site_id uuid NOT NULL,
  hash bytea NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (site_id, hash)
);

-- What a recovery is for: a lost number, or lost factors.
ALTER TABLE recovery ADD COLUMN purpose text NOT NULL DEFAULT 'mobile';

-- The code with which an operator enrols after a reset, made by another ADMIN or on the command line. While the row is
-- there, expired or not, the account enrols with a valid code alone: the number must not be enough.
CREATE TABLE enrolment_ticket (
  site_id uuid NOT NULL,
  user_id uuid NOT NULL,
  hash bytea NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (site_id, user_id)
);
