--! compatible
create index example_words_by_word on example_words using gin (words);
-- The planner knows how frequent ten times as many words are.
alter table example_words alter column words set statistics 1000;
