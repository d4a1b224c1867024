-- When an operator was given a right: one that is new can't export. Null for rights of before and of the command line.
ALTER TABLE permission ADD COLUMN granted_at timestamptz;
ALTER TABLE permission ALTER COLUMN granted_at SET DEFAULT now();
