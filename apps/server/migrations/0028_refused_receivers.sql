-- A send that was refused clears last_sent_at, so that the next one need not wait. Such rows were never deleted.
CREATE OR REPLACE FUNCTION drop_old_codes(days integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  name text;
BEGIN
  FOR name IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'code_send'::regclass AND c.relname ~ '^code_send_\d{4}_\d{2}_\d{2}$'
      AND to_date(right(c.relname, 10), 'YYYY_MM_DD') + 1 < now() - make_interval(days => days)
  LOOP
    EXECUTE format('DROP TABLE %I', name);
  END LOOP;
  DELETE FROM code_send_rest WHERE at < now() - make_interval(days => days);
  DELETE FROM code WHERE expires_at < now() - make_interval(days => days);
  DELETE FROM receiver WHERE last_sent_at IS NULL OR last_sent_at < now() - make_interval(days => days);
END $$;
