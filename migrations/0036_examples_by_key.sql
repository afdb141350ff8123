--! compatible
-- Finds the examples that say the same. It holds eight bytes of an example where the index before held its dataset, its whole
-- hash, split and id: half of what an import cost the database were places of that one, far apart (docs/adr/0018-datasets.md).
-- The dataset is part of it, so that the work does not grow with other people's copies.
create function example_key(dataset text, content_hash bytea) returns bigint
  language sql immutable parallel safe
return hashtextextended(dataset collate "C", get_byte(content_hash, 0)::bigint << 24
  | get_byte(content_hash, 1) << 16 | get_byte(content_hash, 2) << 8 | get_byte(content_hash, 3));
create index examples_by_key on examples using hash (example_key(dataset_id, content_hash));
-- Whoever read versions by it reads contents in their order instead. Servers of the version before read all examples of a
-- dataset each time: slowly where it is large.
drop index examples_by_content;

-- Large imports write contents on a connection of their own, which commits a moment before all the rest does. Here it says so in
-- the same transaction, and the rest takes the note away: where one is left, the contents belong to nothing.
create table example_contents_ahead (
  dataset_id text collate "C" primary key,
  written_at timestamptz not null default now()
);

-- Contents of a dataset that came to nothing may be deleted.
create function dataset_exists(dataset text) returns boolean language sql stable
return exists (select from datasets where id = dataset);
drop trigger example_contents_are_never_deleted on example_contents;
create trigger example_contents_are_never_deleted before delete on example_contents
  for each row when (dataset_exists(old.dataset_id)) execute function frozen_is_immutable();
