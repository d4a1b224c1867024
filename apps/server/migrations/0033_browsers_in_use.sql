-- When a session last began or was used in a browser: one that isn't used for 180 days is a stranger again.
ALTER TABLE known_browser ADD COLUMN last_used timestamptz NOT NULL DEFAULT now();
