-- Until when a way to prove oneself counts as none: it was set by somebody who still owed a proof themselves.
ALTER TABLE users
  ADD COLUMN password_fresh_until timestamptz,
  ADD COLUMN email_fresh_until timestamptz,
  ADD COLUMN wechat_fresh_until timestamptz;
