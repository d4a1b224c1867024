-- Conversations between a person and the brand.

CREATE TABLE feedback (
  site_id uuid NOT NULL,
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  status smallint NOT NULL CHECK (status BETWEEN 0 AND 5),
  -- Raised under the row's lock: entries are numbered without a gap.
  last_seq integer NOT NULL,
  -- The merchant called it solved since it was last closed.
  offered boolean NOT NULL DEFAULT false,
  user_texts integer NOT NULL DEFAULT 0,
  merchant_texts integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- To the millisecond, as lists tell it and are asked to go on from it.
  last_message_at timestamptz(3) NOT NULL,
  -- Since when the person waits for the merchant; null when it isn't the merchant's turn.
  waiting_since timestamptz(3),
  user_seen integer NOT NULL DEFAULT 0,
  merchant_seen integer NOT NULL DEFAULT 0,
  -- When either side was last told elsewhere that there is something new.
  user_told_at timestamptz,
  merchant_told_at timestamptz,
  PRIMARY KEY (site_id, id)
);
CREATE INDEX feedback_newest ON feedback (site_id, last_message_at DESC, id DESC);
CREATE INDEX feedback_by_status ON feedback (site_id, status, last_message_at DESC, id DESC);
CREATE INDEX feedback_waiting ON feedback (site_id, waiting_since, id) WHERE waiting_since IS NOT NULL;

CREATE TABLE feedback_entry (
  site_id uuid NOT NULL,
  feedback_id uuid NOT NULL,
  seq integer NOT NULL,
  role text NOT NULL CHECK (role IN ('user', 'merchant')),
  author_id uuid NOT NULL,
  message text NOT NULL,
  status smallint CHECK (status BETWEEN 0 AND 5),
  at timestamptz NOT NULL,
  -- What the sender made up for this very message.
  client_key text,
  PRIMARY KEY (site_id, feedback_id, seq)
);
CREATE UNIQUE INDEX feedback_entry_key ON feedback_entry (site_id, feedback_id, role, client_key) WHERE client_key IS NOT NULL;

-- The person's own list.
CREATE TABLE feedback_of_user (
  site_id uuid NOT NULL,
  user_id uuid NOT NULL,
  feedback_id uuid NOT NULL,
  PRIMARY KEY (site_id, user_id, feedback_id)
);

SELECT pgboss.create_queue('feedback-notice', '{"policy": "standard", "retryLimit": 5, "retryBackoff": true}');
