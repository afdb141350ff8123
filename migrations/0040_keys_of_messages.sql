--! compatible
-- The Idempotency-Key under which something was said: whoever sends it again after the server died that answered it gets an answer
-- to what stands there already.
alter table chat_messages add column idempotency_key text;
