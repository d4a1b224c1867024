-- Operators get their config back in the order in which they wrote it: jsonb sorts the keys, json keeps the text.
ALTER TABLE site_config
  ALTER COLUMN config TYPE json USING config::json,
  -- The version it was taken back to, where it was.
  ADD COLUMN restored integer;
