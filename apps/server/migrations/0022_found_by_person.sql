-- no transaction
-- By what erasing and archives find a person's rows. Built while everybody goes on signing in.

-- Whatever was broken off half built.
SELECT format('DROP INDEX CONCURRENTLY %s', i.indexrelid::regclass)
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE NOT i.indisvalid AND c.relkind = 'i' AND c.relname ~ '^(security_log_\w+_by_address|authorize_ticket_of_user'
  '|login_confirm_(of_user|by_mobile)|wechat_ticket_(of_user|by_openid|by_unionid)|job_common_(of_user|by_mail|by_mobile))$';

-- Whether an address is one person's alone, and what nobody's rows say of it. Months to come get theirs by themselves.
CREATE INDEX IF NOT EXISTS security_log_by_address ON ONLY security_log (site_id, address, user_id)
  WHERE address IS NOT NULL;

-- A build waits for whoever reads or writes, and holds up none of them.
SET lock_timeout = 0;

SELECT format('CREATE INDEX CONCURRENTLY IF NOT EXISTS %I ON %I (site_id, address, user_id) WHERE address IS NOT NULL',
  part.relname || '_by_address', part.relname)
FROM pg_inherits JOIN pg_class part ON part.oid = inhrelid
WHERE inhparent = 'security_log'::regclass AND NOT EXISTS (
  SELECT FROM pg_index i JOIN pg_inherits attached ON attached.inhrelid = i.indexrelid
  WHERE i.indrelid = part.oid AND attached.inhparent = 'security_log_by_address'::regclass);

CREATE INDEX CONCURRENTLY IF NOT EXISTS authorize_ticket_of_user ON authorize_ticket (site_id, user_id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS login_confirm_of_user ON login_confirm (site_id, user_id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS login_confirm_by_mobile ON login_confirm (site_id, mobile);
CREATE INDEX CONCURRENTLY IF NOT EXISTS wechat_ticket_of_user ON wechat_ticket (site_id, user_id)
  WHERE user_id IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS wechat_ticket_by_openid ON wechat_ticket
  (site_id, (detail -> 'ids' ->> 'openid')) WHERE detail -> 'ids' ->> 'openid' IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS wechat_ticket_by_unionid ON wechat_ticket
  (site_id, (detail -> 'ids' ->> 'unionid')) WHERE detail -> 'ids' ->> 'unionid' IS NOT NULL;

-- All our queues are in this one partition. A job is in one of these at most.
CREATE INDEX CONCURRENTLY IF NOT EXISTS job_common_of_user ON pgboss.job_common ((data ->> 'userId'))
  WHERE data ->> 'userId' IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS job_common_by_mail ON pgboss.job_common (lower(data ->> 'to'))
  WHERE data ->> 'to' IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS job_common_by_mobile ON pgboss.job_common
  (('+' || (data ->> 'prefix') || (data ->> 'mobile'))) WHERE data ->> 'mobile' IS NOT NULL;

SET lock_timeout = '5s';

SELECT format('ALTER INDEX security_log_by_address ATTACH PARTITION %I', c.relname)
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_inherits part ON part.inhrelid = i.indrelid
WHERE part.inhparent = 'security_log'::regclass AND c.relname ~ '^security_log_\w+_by_address$';
