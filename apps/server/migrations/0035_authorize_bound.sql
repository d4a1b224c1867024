-- What a ticket is bound to: the session that made it, the challenge and the state of the request, and the exact address that it
-- returned to. None of it stands in a ticket of the version before, which lives for a minute.
ALTER TABLE authorize_request ADD COLUMN challenge text;
ALTER TABLE authorize_ticket
  ADD COLUMN session_id uuid,
  ADD COLUMN challenge text,
  ADD COLUMN state text,
  ADD COLUMN address text;
