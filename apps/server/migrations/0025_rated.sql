-- no transaction
-- What people thought lately, for the first page of the back-office.

-- Whatever was broken off half built.
SELECT format('DROP INDEX CONCURRENTLY %s', i.indexrelid::regclass)
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE NOT i.indisvalid AND c.relname = 'feedback_rated';

-- A build waits for whoever reads or writes, and holds up none of them.
SET lock_timeout = 0;
CREATE INDEX CONCURRENTLY IF NOT EXISTS feedback_rated ON feedback (site_id, rated_at) WHERE rated_at IS NOT NULL;
