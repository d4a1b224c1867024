-- Jobs name receivers: what is done stays for a day, not for a week.
ALTER TABLE pgboss.job ALTER COLUMN deletion_seconds SET DEFAULT 86400;
