-- People, the names they sign in with, and what they may do.

CREATE TABLE users (
  site_id uuid NOT NULL,
  id uuid NOT NULL,
  -- Order of the operators' list: the time of insertion.
  listed_at timestamptz NOT NULL DEFAULT now(),
  status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled')),
  nickname text,
  wechat_nickname text,
  wechat_open_id text,
  avatar_id uuid,
  preference jsonb NOT NULL DEFAULT '{}',
  -- Copies for display; `identity` decides who owns a name.
  mobile_prefix text,
  mobile text,
  email text,
  username text,
  PRIMARY KEY (site_id, id)
);
CREATE INDEX users_listed ON users (site_id, listed_at DESC, id DESC);

-- The only place where login names are unique. Values are normalised: +8613800138000, lower-case e-mail and username.
CREATE TABLE identity (
  site_id uuid NOT NULL,
  kind text NOT NULL,
  value text NOT NULL,
  user_id uuid NOT NULL,
  -- When the person last proved to hold it.
  proved_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (site_id, kind, value)
);

-- The way back, written in the same transaction.
CREATE TABLE user_identity (
  site_id uuid NOT NULL,
  user_id uuid NOT NULL,
  kind text NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (site_id, user_id, kind, value)
);

CREATE TABLE credential (
  site_id uuid NOT NULL,
  user_id uuid NOT NULL,
  kind text NOT NULL,
  secret text NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (site_id, user_id, kind)
);

CREATE TABLE permission (
  site_id uuid NOT NULL,
  user_id uuid NOT NULL,
  area text NOT NULL,
  action text NOT NULL,
  PRIMARY KEY (site_id, user_id, area, action)
);

CREATE TABLE consent (
  site_id uuid NOT NULL,
  user_id uuid NOT NULL,
  document text NOT NULL,
  version text NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (site_id, user_id, document, version)
);

-- Written at most once in 10 minutes, apart from the rows that are read on every call.
CREATE TABLE user_access (
  site_id uuid NOT NULL,
  user_id uuid NOT NULL,
  last_access timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (site_id, user_id)
);
