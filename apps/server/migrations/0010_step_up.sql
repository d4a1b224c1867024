-- A check renews the session's secret; the former one works a little longer, for tabs whose calls are on their way.
ALTER TABLE session
  ADD COLUMN former_hash bytea,
  ADD COLUMN former_until timestamptz,
  -- When a kind of proof besides a texted code was given.
  ADD COLUMN second_at timestamptz;

SELECT pgboss.create_queue('sms-notice', '{"policy": "standard", "retryLimit": 0}');
