--! compatible
-- Imports: a file on its way into a dataset. The state only ever changes in statements that name the state it changes
-- from, so that of two workers, or a worker and a cancellation, one wins.
create table imports (
  id text collate "C" primary key,
  project_id text not null references projects (id),
  -- One of the two: where the examples go, or the name of the dataset that the import makes.
  dataset_id text collate "C" references datasets (id),
  dataset_name text check (char_length(dataset_name) between 1 and 80),
  state text not null check (state in ('awaiting_upload', 'uploaded', 'profiling', 'ready', 'importing', 'canceling',
                                       'completed', 'failed', 'canceled', 'expired')),
  file_name text not null check (char_length(file_name) between 1 and 255),
  size_bytes bigint not null check (size_bytes > 0),
  -- How much of the file has arrived without a gap.
  received_bytes bigint not null default 0 check (received_bytes between 0 and size_bytes),
  -- As the caller said it would be, and as it is once the file is whole.
  expected_sha256 text check (expected_sha256 ~ '^[0-9a-f]{64}$'),
  sha256 text check (sha256 ~ '^[0-9a-f]{64}$'),
  -- How the caller wants the file to be read: format, encoding, delimiter, sample_rows, mapping.
  reader_options jsonb not null,
  -- Counts the requested profiles: the result of an earlier one is not stored any more.
  profile_number integer not null default 0,
  -- What the last profile found; null while there is none. The sample is what previews are made of.
  profile jsonb,
  sample jsonb,
  mapping jsonb,
  options jsonb not null,
  counts jsonb,
  phase text,
  rows_done bigint not null default 0,
  rows_total bigint,
  percent real,
  -- Workers that have begun what the state asks for.
  attempts integer not null default 0,
  -- Objects beside the parts: all issues, and the token counts of all rows.
  issues_key text,
  tokens_key text,
  result jsonb,
  error jsonb,
  created_by jsonb not null,
  request_id text,
  files_removed_at timestamptz,
  expires_at timestamptz,
  finished_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((dataset_id is null or dataset_name is null) and coalesce(dataset_id, dataset_name) is not null
         or state = 'completed'),
  check (state in ('awaiting_upload', 'canceled', 'expired') or sha256 is not null),
  check ((state in ('completed', 'failed', 'canceled', 'expired')) = (finished_at is not null))
);
create index imports_by_project on imports (project_id, created_at desc, id desc);
create index imports_expiring on imports (expires_at) where expires_at is not null;
create index imports_running on imports (state)
  where state in ('awaiting_upload', 'uploaded', 'profiling', 'importing', 'canceling');
create index imports_with_files on imports (finished_at) where finished_at is not null and files_removed_at is null;

-- Parts of the file, in the object store under `key`. A part that did not come to count is removed with its object.
create table import_parts (
  key text collate "C" primary key,
  import_id text collate "C" not null references imports (id),
  first_byte bigint not null,
  -- Null while it is on its way.
  bytes bigint check (bytes > 0),
  created_at timestamptz not null default now()
);
create unique index import_parts_in_order on import_parts (import_id, first_byte) where bytes is not null;
create index import_parts_on_the_way on import_parts (created_at) where bytes is null;

-- The first issues of the last profile; the object has all of them.
create table import_issues (
  import_id text collate "C" not null references imports (id),
  position integer not null,
  code text not null,
  issue jsonb not null,
  primary key (import_id, position)
);
