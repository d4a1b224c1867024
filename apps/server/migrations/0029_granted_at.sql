-- When an operator was given a right: one that is new can't export. Rights of before and of the command line are old.
ALTER TABLE permission ADD COLUMN granted_at timestamptz NOT NULL DEFAULT '-infinity';
ALTER TABLE permission ALTER COLUMN granted_at SET DEFAULT now();
