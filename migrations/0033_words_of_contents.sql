--! compatible
-- Words of contents are made where they are searched (docs/adr/0018-datasets.md): what is in the index of words has them
-- here, and of a large addition a block is made of the contents themselves.
alter table example_contents alter column words drop not null;

-- A content never changes, but it may get its words, once: when an example that says the same is added by itself.
drop trigger example_contents_are_immutable on example_contents;
create trigger example_contents_are_immutable before update on example_contents
  for each row when (
    old.words is not null
    or (old.dataset_id, old.hash, old.content) is distinct from (new.dataset_id, new.hash, new.content)
  ) execute function frozen_is_immutable();
create trigger example_contents_are_never_deleted before delete on example_contents
  for each row execute function frozen_is_immutable();

-- Servers of the version before add an example without giving its content the words that it lacks. Said as a want of
-- resources, their callers are told to try again. (It takes the hash so that no planner calls it ahead of time.)
create function words_are_missing(hash bytea) returns tsvector language plpgsql immutable parallel safe as $$
begin
  raise exception 'a content that is to be searched by itself has no words yet' using errcode = '53000';
end $$;
create or replace function example_words(dataset text, content_hash bytea) returns tsvector
  language sql immutable parallel safe strict cost 1000
begin atomic
  select case when c.words is null then words_are_missing(c.hash)
              else array_to_tsvector(array_append(string_to_array(btrim(c.words), ' '), dataset)) end
    from example_contents c where c.dataset_id = $1 and c.hash = $2;
end;

-- Blocks that were made of contents, or before this. A server of the version before would make one of words that are not
-- there, so a constraint refuses it, and a server of this version makes it.
alter table example_additions add column blocks_made integer not null default 0;
update example_additions set blocks_made = cardinality(block_ends) where block_ends <> '{}';
alter table example_additions
  add constraint example_additions_blocks_are_of_contents check (blocks_made = cardinality(block_ends));

-- What is searched one by one, from the newest on, where words are frequent.
create index examples_searched on examples (dataset_id, id) where searched;
