--! compatible
-- `head_seq` counts the changes of a dataset. A change holds the row's lock, so the changes of a dataset happen one after
-- the other and its counts are exact.
create table datasets (
  id text collate "C" primary key,
  project_id text not null references all_projects (id),
  name text not null check (char_length(name) between 1 and 80),
  description text check (char_length(description) <= 500),
  kind text not null check (kind in ('text', 'embedding')),
  -- The base model whose tokenizer counts, for the life of the dataset; null: the installation's first of the kind.
  target_model text,
  -- For searches, folded by the program.
  search_text text not null,
  head_seq bigint not null default 0,
  version_count integer not null default 0,
  archived_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index datasets_by_project on datasets (project_id, created_at desc, id desc);

-- Contents of examples: each once per dataset, under the SHA-256 of its canonical JSON.
create table example_contents (
  dataset_id text collate "C" not null,
  hash bytea not null check (octet_length(hash) = 32),
  -- The canonical JSON. It is text because the digest of a version is made of its bytes.
  content text not null,
  -- A digest of the dataset and the query, however that is written; null: a conversation.
  query_key bigint,
  primary key (dataset_id, hash)
-- Compressing contents of a few kilobytes took most of the time of an insert.
) with (toast_tuple_target = 8160);
-- Finds the examples of a query.
create index example_contents_by_query on example_contents using hash (query_key) where query_key is not null;

-- An example from change `added_seq` until change `removed_seq`; the greatest number: it is live. A changed example is a
-- second row with the same id, so that a version is a number and not a copy. Rows are narrow, because lists, counts and
-- searches read many of them. There is no foreign key: it would take a third of the time of an import. A trigger keeps a
-- dataset from being deleted before them.
create table examples (
  dataset_id text collate "C" not null,
  -- Ascends with the time of creation, and within an import with the position in the file.
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
  -- Null: not since it was added, whose time the id contains.
  updated_at timestamptz,
  primary key (dataset_id, id, added_seq),
  check (removed_seq > added_seq)
);

-- Keys of indexes: one number instead of several columns, which an import would compare for every row
-- (docs/adr/0018-datasets.md). The dataset is part of them, so that the work does not grow with other datasets.
create function example_content_key(dataset text, content_hash bytea) returns bigint
  language sql immutable parallel safe
return hashtextextended(dataset collate "C", get_byte(content_hash, 0)::bigint << 24
  | get_byte(content_hash, 1) << 16 | get_byte(content_hash, 2) << 8 | get_byte(content_hash, 3));

create function example_group_key(dataset text, split text, origin text, valid boolean) returns bigint
  language sql immutable parallel safe
return hashtextextended(dataset collate "C",
  hashtextextended(origin collate "C", case when valid then 1 else 0 end + case when split = 'train' then 2 else 0 end));

-- A list with any filter is a merge of some groups of this index.
create index examples_live on examples (example_group_key(dataset_id, split, origin, valid), id)
  where removed_seq = 9223372036854775807;
-- Finds examples with the same content.
create index examples_by_content_key on examples using hash (example_content_key(dataset_id, content_hash));
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

-- The words of examples, for full-text search. Those of large additions are made in the background.
create table example_words (
  dataset_id text collate "C" not null,
  id text collate "C" not null,
  added_seq bigint not null,
  -- Words of the content, and split, origin and validity as words. Each begins with characters of the dataset's id, so that
  -- the work of a search, and the planner's statistics of a word, do not depend on other datasets.
  words tsvector not null,
  primary key (dataset_id, id, added_seq)
);
create index example_words_by_word on example_words using gin (words);
-- The planner gets the frequency of ten times as many words.
alter table example_words alter column words set statistics 1000;

-- Changes whose examples after this id are not in `example_words` yet.
create table unindexed_examples (
  dataset_id text collate "C" not null references datasets (id),
  added_seq bigint not null,
  after_id text collate "C" not null,
  primary key (dataset_id, added_seq)
);

-- Frozen states of a dataset: the valid examples that were live at `seq`.
create table dataset_versions (
  id text collate "C" primary key,
  dataset_id text collate "C" not null references datasets (id),
  project_id text not null references all_projects (id),
  number integer not null,
  seq bigint not null,
  label text check (char_length(label) <= 80),
  -- Of the file that the version can be downloaded as.
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  bytes bigint not null,
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

-- What versions are made of is removed with the whole project only.
create function is_of_deleted_project(of_dataset_id text) returns boolean language sql stable
as $$ select exists (select from datasets d join all_projects p on p.id = d.project_id
                      where d.id = of_dataset_id and p.deleted_at is not null) $$;

create function frozen_is_immutable() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and is_of_deleted_project(old.dataset_id) then
    return old;
  end if;
  raise exception '% of % is refused: what versions are made of never changes', tg_op, tg_table_name;
end $$;
create trigger dataset_versions_are_immutable before update or delete on dataset_versions
  for each row execute function frozen_is_immutable();
create trigger example_contents_are_immutable before update or delete on example_contents
  for each row execute function frozen_is_immutable();
create trigger examples_go_with_their_project before delete on examples
  for each row execute function frozen_is_immutable();
-- An example may be removed, once.
create trigger examples_are_immutable before update on examples
  for each row when (
    (old.dataset_id, old.id, old.added_seq, old.content_hash, old.split, old.valid, old.tokens, old.origin, old.origin_id)
      is distinct from
    (new.dataset_id, new.id, new.added_seq, new.content_hash, new.split, new.valid, new.tokens, new.origin, new.origin_id)
    or (old.removed_seq <> 9223372036854775807 and old.removed_seq <> new.removed_seq)
  ) execute function frozen_is_immutable();

-- Every statement that changes `state` names the state that it changes from. So of two workers, or a worker and a
-- cancellation, one wins.
create table imports (
  id text collate "C" primary key,
  project_id text not null references all_projects (id),
  -- One of the two: the dataset that gets the examples, or the name of the dataset that the import creates.
  dataset_id text collate "C" references datasets (id),
  dataset_name text check (char_length(dataset_name) between 1 and 80),
  state text not null check (state in ('awaiting_upload', 'uploaded', 'profiling', 'ready', 'importing', 'canceling',
                                       'completed', 'failed', 'canceled', 'expired')),
  file_name text not null check (char_length(file_name) between 1 and 255),
  size_bytes bigint not null check (size_bytes > 0),
  -- How much of the file has arrived without a gap.
  received_bytes bigint not null default 0 check (received_bytes between 0 and size_bytes),
  -- As the caller declared it, and of the complete file.
  expected_sha256 text check (expected_sha256 ~ '^[0-9a-f]{64}$'),
  sha256 text check (sha256 ~ '^[0-9a-f]{64}$'),
  -- How the caller wants the file to be read: format, encoding, delimiter, rows of the sample, mapping.
  reader_options jsonb not null,
  -- Counts the requested profiles: the result of an earlier one is not stored any more.
  profile_number integer not null default 0,
  -- The result of the last profile; null while there is none. Previews are made of the sample. What callers see is `json`, because
  -- `jsonb` sorts the keys of objects.
  profile json,
  sample json,
  mapping json,
  options json not null,
  counts json,
  phase text,
  rows_done bigint not null default 0,
  rows_total bigint,
  percent real,
  -- Workers that have begun the work of the present state.
  attempts integer not null default 0,
  -- Objects beside the parts: all issues, and the token counts of all rows.
  issues_key text,
  tokens_key text,
  result json,
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

-- Storage that an import uses: from its announcement the whole file, and after its end what has arrived, until that is
-- removed.
create function import_storage_bytes(i imports) returns bigint language sql immutable parallel safe
return case when i.files_removed_at is not null then 0 when i.finished_at is not null then i.received_bytes else i.size_bytes end;

-- src/limits/storage.store.ts reserves the storage of an import; it is released wherever the import ends.
create function imports_release_storage() returns trigger language plpgsql as $$
begin
  perform change_storage(p.account_id, import_storage_bytes(new) - import_storage_bytes(old))
    from all_projects p where p.id = new.project_id;
  return null;
end $$;
create trigger imports_release_storage after update of finished_at, files_removed_at on imports
  for each row when (old.finished_at is distinct from new.finished_at or old.files_removed_at is distinct from new.files_removed_at)
  execute function imports_release_storage();

-- Parts of the file, in the object store under `key`. A part that was not completed is removed with its object.
create table import_parts (
  key text collate "C" primary key,
  import_id text collate "C" not null references imports (id),
  first_byte bigint not null,
  -- Null: the upload is in flight.
  bytes bigint check (bytes > 0),
  created_at timestamptz not null default now()
);
create unique index import_parts_in_order on import_parts (import_id, first_byte) where bytes is not null;
create index import_parts_in_flight on import_parts (created_at) where bytes is null;

-- The first issues of the last profile; the object has all of them.
create table import_issues (
  import_id text collate "C" not null references imports (id),
  position integer not null,
  code text not null,
  issue jsonb not null,
  primary key (import_id, position)
);

-- In place of foreign keys of the tables that have none, for the sake of imports.
create function dataset_is_empty() returns trigger language plpgsql as $$
begin
  if exists (select from examples where dataset_id = old.id) or exists (select from example_contents where dataset_id = old.id)
     or exists (select from example_words where dataset_id = old.id) then
    raise exception 'the dataset % has examples', old.id using errcode = 'foreign_key_violation', table = 'datasets';
  end if;
  return old;
end $$;
create trigger datasets_are_empty before delete on datasets for each row execute function dataset_is_empty();
