--! compatible
-- Datasets. `head_seq` counts the changes of a dataset; whoever changes it holds the row's lock, so changes of one dataset
-- come one after the other, and what is counted about it is exact.
create table datasets (
  id text collate "C" primary key,
  project_id text not null references projects (id),
  name text not null check (char_length(name) between 1 and 80),
  description text check (char_length(description) <= 500),
  kind text not null check (kind in ('text', 'embedding')),
  -- The base model whose tokenizer counts, for as long as the dataset lives; null: the installation's first of the kind.
  target_model text,
  -- What a search for a dataset looks through.
  search_text text not null,
  head_seq bigint not null default 0,
  version_count integer not null default 0,
  archived_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index datasets_by_project on datasets (project_id, created_at desc, id desc);

-- What examples say: each content once per dataset, under the SHA-256 of its canonical JSON. It never changes.
create table example_contents (
  dataset_id text collate "C" not null,
  hash bytea not null check (octet_length(hash) = 32),
  -- Canonical JSON as text: read back byte by byte, it gives the digest of a version.
  content text not null,
  primary key (dataset_id, hash)
);
-- Compressing what is a little larger than a quarter of a page took most of the time that contents take to be written.
alter table example_contents set (toast_tuple_target = 8160);

-- An example as it was from change `added_seq` on until change `removed_seq`; the greatest number: it still is. A changed
-- example is a second row under the same id, so that a version is a number and no copy. Rows are narrow, because lists,
-- counts and searches read many of them. There is no foreign key: it would cost a third of the time of an import, and
-- datasets are never deleted.
create table examples (
  dataset_id text collate "C" not null,
  -- Ascends with the time of creation, and within an import with the place in the file.
  id text collate "C" not null,
  added_seq bigint not null,
  removed_seq bigint not null default 9223372036854775807,
  content_hash bytea not null,
  bytes integer not null,
  split text not null check (split in ('train', 'test')),
  origin text not null check (origin in ('import', 'manual', 'chat', 'inference', 'retrieval_event')),
  origin_id text,
  -- Null: no model that could count was installed.
  tokens integer,
  valid boolean not null,
  issues jsonb,
  -- Null: since it was added, which its id tells.
  updated_at timestamptz,
  primary key (dataset_id, id, added_seq),
  check (removed_seq > added_seq)
);
-- Any list under any filter is a merge of a few ordered stretches of this index.
create index examples_live on examples (dataset_id, split, origin, valid, id) where removed_seq = 9223372036854775807;
-- Finds duplicates, and gives the canonical order of versions.
create index examples_by_content on examples (dataset_id, content_hash, split, id);
create index examples_by_origin on examples (origin_id) where origin_id is not null and origin <> 'import';

-- Live examples of a dataset, counted by what lists filter by.
create table example_counts (
  dataset_id text collate "C" not null references datasets (id),
  split text not null,
  origin text not null,
  valid boolean not null,
  examples integer not null check (examples >= 0),
  tokens bigint not null check (tokens >= 0),
  bytes bigint not null check (bytes >= 0),
  primary key (dataset_id, split, origin, valid)
);
