--! compatible
-- The words of large additions (docs/adr/0018-datasets.md). Their examples have ids with a common beginning and a number, which
-- counts from nought: the place of an example in its addition. Places up to the last of `block_ends` are searched in blocks.
create table example_additions (
  dataset_id text collate "C" not null references datasets (id),
  -- The change that added them.
  seq bigint not null,
  first_id text collate "C" not null,
  examples integer not null check (examples > 0),
  -- The place behind the last of each block.
  block_ends integer[] not null default '{}',
  -- What of it is in no block is read one by one.
  is_searched boolean not null generated always as (coalesce(block_ends[cardinality(block_ends)], 0) = examples) stored,
  primary key (dataset_id, seq)
);
create index example_additions_unsearched on example_additions (dataset_id) where not is_searched;

-- Which examples of a block have which words, some hundred words to a row. Blocks are written once and never change.
create table example_block_words (
  dataset_id text collate "C" not null,
  seq bigint not null,
  -- The place where the block begins.
  first integer not null,
  -- The first word of the row, in the order of bytes.
  word text collate "C" not null,
  entries bytea not null,
  primary key (dataset_id, seq, first, word)
);
alter table example_block_words alter column entries set storage external;
-- So that a row stays in one page.
alter table example_block_words set (toast_tuple_target = 8160);

-- What searches in blocks take away from what they find.
create index examples_ended on examples (dataset_id, removed_seq) where removed_seq < 9223372036854775807;

-- What was being taken into the index of words goes into blocks.
insert into example_additions (dataset_id, seq, first_id, examples)
select dataset_id, added_seq, left(min(id), -7) || '0000000', count(*)
  from examples
 where (dataset_id, added_seq) in (select dataset_id, added_seq from examples where not searched)
 group by dataset_id, added_seq;
-- Nobody reads by it any more what is not searched, and every import paid for it.
drop index examples_unsearched;
