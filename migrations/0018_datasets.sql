--! compatible
-- Datasets and their examples. `head_seq` counts the changes of a dataset; whoever changes it holds the row's lock, so
-- changes of one dataset come one after the other and the sums below are exact.
create table datasets (
  id text primary key,
  project_id text not null references projects (id),
  name text not null check (char_length(name) between 1 and 80),
  description text check (char_length(description) <= 500),
  kind text not null check (kind in ('text', 'embedding')),
  head_seq bigint not null default 0,
  train_count integer not null default 0 check (train_count >= 0),
  test_count integer not null default 0 check (test_count >= 0),
  invalid_count integer not null default 0 check (invalid_count >= 0),
  token_total bigint not null default 0 check (token_total >= 0),
  version_count integer not null default 0,
  archived_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index datasets_by_project on datasets (project_id, created_at desc, id desc);

-- An example as it was from change `added_seq` on, until change `removed_seq`; null: it still is. A changed example is
-- a second row under the same id, so that a version is a number and no copy.
create table examples (
  dataset_id text not null references datasets (id),
  id text not null,
  added_seq bigint not null,
  removed_seq bigint,
  content jsonb not null,
  split text not null check (split in ('train', 'test')),
  origin text not null check (origin in ('import', 'manual', 'chat', 'inference', 'retrieval_event')),
  origin_id text,
  -- Counted with the tokenizer of the dataset's model; null: not counted yet.
  tokens integer check (tokens >= 0),
  valid boolean not null,
  issues jsonb not null default '[]',
  content_hash bytea not null check (octet_length(content_hash) = 32),
  search tsvector not null,
  created_at timestamptz not null,
  updated_at timestamptz not null default now(),
  primary key (dataset_id, id, added_seq),
  check (removed_seq > added_seq)
);
create unique index examples_live on examples (dataset_id, id) where removed_seq is null;
create index examples_by_age on examples (dataset_id, created_at desc, id desc) where removed_seq is null;
create index examples_by_hash on examples (dataset_id, content_hash) where removed_seq is null;
create index examples_by_origin on examples (dataset_id, origin, origin_id) where origin_id is not null;
create index examples_search on examples using gin (search) with (fastupdate = off);

-- Frozen states of a dataset. Nothing of a version ever changes; its examples are the rows alive at `seq`.
create table dataset_versions (
  id text primary key,
  dataset_id text not null references datasets (id),
  project_id text not null references projects (id),
  number integer not null,
  seq bigint not null,
  label text check (char_length(label) <= 80),
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  train_count integer not null,
  test_count integer not null,
  token_stats jsonb not null,
  parent_version_id text references dataset_versions (id),
  source_kind text not null check (source_kind in ('manual', 'import', 'promotion', 'training')),
  source_id text,
  created_at timestamptz not null default now(),
  unique (dataset_id, number),
  unique (dataset_id, seq)
);
create index dataset_versions_by_project on dataset_versions (project_id, created_at desc, id desc);
