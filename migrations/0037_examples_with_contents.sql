--! compatible
-- A large first import writes contents that are new, each with one example. Such a content knows its example, so that the index
-- which finds examples by what they say need not hold them: a quarter of what they cost the database (docs/adr/0018-datasets.md).
alter table examples add column came_with_content boolean not null default false;
alter table example_contents add column example_id text collate "C";

-- It is no longer of use to servers of the version before: they read all examples for each look, and find the same.
drop index examples_by_key;
create index examples_by_key on examples using hash (example_key(dataset_id, content_hash)) where not came_with_content;

-- Neither changes, as nothing else of them does.
drop trigger examples_are_immutable on examples;
create trigger examples_are_immutable before update on examples
  for each row when (
    (old.dataset_id, old.id, old.added_seq, old.content_hash, old.split, old.valid, old.tokens, old.origin, old.origin_id,
      old.came_with_content)
      is distinct from
    (new.dataset_id, new.id, new.added_seq, new.content_hash, new.split, new.valid, new.tokens, new.origin, new.origin_id,
      new.came_with_content)
    or (old.removed_seq <> 9223372036854775807 and old.removed_seq <> new.removed_seq)
  ) execute function frozen_is_immutable();
drop trigger example_contents_are_immutable on example_contents;
create trigger example_contents_are_immutable before update on example_contents
  for each row when (
    old.words is not null
    or (old.dataset_id, old.hash, old.content, old.example_id)
      is distinct from (new.dataset_id, new.hash, new.content, new.example_id)
  ) execute function frozen_is_immutable();
