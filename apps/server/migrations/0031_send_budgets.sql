-- What was sent of a day's budget. Redis counts as well and refuses first; this is what holds when it is emptied or changed.
CREATE TABLE send_budget (
  site_id uuid NOT NULL,
  budget text NOT NULL,
  sent integer NOT NULL,
  ends_at timestamptz NOT NULL,
  PRIMARY KEY (site_id, budget)
);
