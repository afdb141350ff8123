--! compatible
-- Changes whose examples after this id are not among `example_words` yet.
create table unindexed_examples (
  dataset_id text collate "C" not null references datasets (id),
  added_seq bigint not null,
  after_id text collate "C" not null,
  primary key (dataset_id, added_seq)
);
