-- Whether WeChat asked the user when the session began. A sign-in that the user didn't see is no second kind of proof; nor
-- is one of which it isn't known.
ALTER TABLE session ADD COLUMN asked boolean NOT NULL DEFAULT false;
