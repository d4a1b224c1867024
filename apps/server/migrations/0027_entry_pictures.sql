-- The pictures of a message, in their order. A step of its own: whoever sends holds the conversation and then waits for this
-- table, so nobody may hold this one and wait for conversations.
ALTER TABLE feedback_entry ADD COLUMN pictures jsonb;
