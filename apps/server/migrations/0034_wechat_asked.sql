-- Whether WeChat asked the user when the session began. A sign-in that nobody saw is no proof besides a texted code; nor is one
-- of which it isn't known.
ALTER TABLE session ADD COLUMN asked boolean NOT NULL DEFAULT false;
