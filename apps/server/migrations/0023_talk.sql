-- Pictures, notes among operators, answers kept ready, and what people thought of it.

-- A picture belongs to whoever handed it over until a message takes it up.
CREATE TABLE feedback_picture (
  site_id uuid NOT NULL,
  id uuid NOT NULL,
  author_id uuid NOT NULL,
  feedback_id uuid,
  width integer NOT NULL,
  height integer NOT NULL,
  bytes bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (site_id, id)
);
ALTER TABLE feedback_picture ALTER COLUMN bytes SET STORAGE EXTERNAL;
CREATE INDEX feedback_picture_talk ON feedback_picture (site_id, feedback_id) WHERE feedback_id IS NOT NULL;
-- How many somebody has handed over of late, and which of them no message has taken up.
CREATE INDEX feedback_picture_author ON feedback_picture (site_id, author_id, created_at);
-- Those that no message has taken up are gone after a day.
CREATE INDEX feedback_picture_old ON feedback_picture (created_at) WHERE feedback_id IS NULL;

-- Apart from the entries: nothing that reads a conversation for the person can come across one.
CREATE TABLE feedback_note (
  site_id uuid NOT NULL,
  feedback_id uuid NOT NULL,
  id uuid NOT NULL,
  author_id uuid NOT NULL,
  text text NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (site_id, feedback_id, id)
);

CREATE TABLE quick_reply (
  site_id uuid NOT NULL,
  id uuid NOT NULL,
  title text NOT NULL,
  text text NOT NULL,
  PRIMARY KEY (site_id, id)
);

ALTER TABLE feedback ADD COLUMN rating smallint, ADD COLUMN rating_words text, ADD COLUMN rated_at timestamptz(3);
-- Not looked through: there is none yet.
ALTER TABLE feedback ADD CONSTRAINT feedback_rating CHECK (rating BETWEEN 1 AND 5) NOT VALID;
