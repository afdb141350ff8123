--! compatible
-- The words of examples, for full-text search (docs/adr/0018-datasets.md). Beside the examples, because those of a large addition get theirs
-- in the background.
create table example_words (
  dataset_id text collate "C" not null,
  id text collate "C" not null,
  added_seq bigint not null,
  -- Words of the content, and split, origin and validity as words. Each begins with characters of the dataset's id, so that the work of
  -- a search, and what the planner knows of a word, do not depend on other datasets.
  words tsvector not null,
  primary key (dataset_id, id, added_seq)
);
