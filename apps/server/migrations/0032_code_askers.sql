-- Who asked for a code, so that strangers can't use up what is kept for the account's own sessions and browsers.
-- Versions before this one don't say: what they send counts as asked for by a stranger.
ALTER TABLE code_send ADD COLUMN asker text NOT NULL DEFAULT 'stranger';
