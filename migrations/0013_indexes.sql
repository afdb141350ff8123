--! compatible
-- Vector indexes of the documents of a dataset version. Whether one is `stale` is computed when it is read.
create table dataset_indexes (
  id text collate "C" primary key,
  project_id text not null references all_projects (id),
  dataset_id text collate "C" not null references datasets (id),
  version_id text collate "C" not null references dataset_versions (id),
  -- Who pays: the owner of the project. No foreign key, as in the ledger.
  account_id text not null,
  -- The requested name, and what it stood for at that time. When an alias gets another target, the index keeps its model.
  model text not null,
  model_revision integer,
  base_model_id text not null,
  base_model_sha256 text not null,
  -- The training job whose adapter was used.
  training_job_id text,
  adapter_sha256 text check ((training_job_id is null) = (adapter_sha256 is null)),
  query_instruction text,
  max_input_tokens integer not null,
  dimensions integer not null check (dimensions > 0),
  -- Of the build, and of searches in the index; frozen when it is created.
  rate_micro_per_minute bigint not null,
  query_rate_micro_per_minute bigint not null,
  price_version text not null,
  state text not null default 'queued' check (state in ('queued', 'building', 'ready', 'failed', 'canceled')),
  -- Of the attempt that may write; another one was taken for dead.
  lease text,
  tries integer not null default 0,
  -- Null: not all are collected yet. The first `embedded` of them have vectors.
  documents integer,
  embedded integer not null default 0,
  truncated integer not null default 0,
  phase text,
  prompt_tokens bigint not null default 0,
  active_ms double precision not null default 0,
  -- The most that the attempt may cost.
  held_micro bigint not null default 0,
  charged_micro bigint,
  metrics jsonb,
  error jsonb,
  created_by jsonb not null,
  key_id text,
  key_name text,
  -- Makes the charge happen once.
  request_id text not null unique,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ready_at timestamptz,
  finished_at timestamptz,
  check (embedded <= documents),
  -- A build that has ended is charged, or costs nothing.
  check ((state in ('ready', 'failed', 'canceled')) = (charged_micro is not null))
);
create index dataset_indexes_by_project on dataset_indexes (project_id, created_at desc, id desc);
create index dataset_indexes_by_version on dataset_indexes (version_id);
create index dataset_indexes_unfinished on dataset_indexes (id) where state in ('queued', 'building');

-- The distinct texts of the version's positives and negatives, in the canonical order of the version. Rows of a deleted
-- index are deleted in the background, so there is no foreign key.
create table index_documents (
  index_id text collate "C" not null,
  position integer not null,
  text_hash bytea not null,
  document_id text,
  text text not null,
  primary key (index_id, position),
  unique (index_id, text_hash)
);
create index index_documents_by_document on index_documents (index_id, document_id) where document_id is not null;

-- Their vectors, float32, little-endian, for some consecutive documents at a time.
create table index_vectors (
  index_id text collate "C" not null,
  first_position integer not null,
  count integer not null check (count > 0),
  -- Vectors do not compress.
  vectors bytea storage external not null,
  primary key (index_id, first_position)
);
