-- Queues that are filled by plain inserts in the transaction of their cause.
SELECT pgboss.create_queue('mail-notice', '{"policy": "standard", "retryLimit": 5, "retryBackoff": true}');
