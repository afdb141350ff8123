--! compatible
-- Counts how often an answer was begun and never goes back, as `attempt` does when a complete answer that was to be made anew comes
-- back: the next try has the same number then, and a process that was only slow wrote into it.
alter table chat_messages add column starts integer not null default 1;
