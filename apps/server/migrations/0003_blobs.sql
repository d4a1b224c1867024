-- Pictures and other small files.
CREATE TABLE blob (
  site_id uuid NOT NULL,
  id uuid NOT NULL,
  owner_id uuid,
  kind text NOT NULL,
  type text NOT NULL,
  bytes bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (site_id, id)
);
-- Pictures are compressed already; a second try only costs time.
ALTER TABLE blob ALTER COLUMN bytes SET STORAGE EXTERNAL;
CREATE INDEX blob_of_owner ON blob (site_id, owner_id);
