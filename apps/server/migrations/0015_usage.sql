-- How far people came when they signed in, and usage by the day of China.

ALTER TABLE usage_hour
  ADD COLUMN code_sent bigint NOT NULL DEFAULT 0,
  ADD COLUMN code_verified bigint NOT NULL DEFAULT 0,
  ADD COLUMN code_signed_in bigint NOT NULL DEFAULT 0,
  ADD COLUMN scan_shown bigint NOT NULL DEFAULT 0,
  ADD COLUMN scan_scanned bigint NOT NULL DEFAULT 0,
  ADD COLUMN scan_approved bigint NOT NULL DEFAULT 0;

-- Made anew from the hours of a day that has ended, and kept for good.
CREATE TABLE usage_day (
  site_id uuid NOT NULL,
  day date NOT NULL,
  page_access bigint NOT NULL,
  authorize_access bigint NOT NULL,
  api_access bigint NOT NULL,
  authorized_users hll NOT NULL,
  accessed_users hll NOT NULL,
  code_sent bigint NOT NULL,
  code_verified bigint NOT NULL,
  code_signed_in bigint NOT NULL,
  scan_shown bigint NOT NULL,
  scan_scanned bigint NOT NULL,
  scan_approved bigint NOT NULL,
  PRIMARY KEY (site_id, day)
);

CREATE FUNCTION china_day(moment timestamptz) RETURNS date LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ((moment AT TIME ZONE 'UTC') + interval '8 hours')::date;
