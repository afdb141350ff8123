--! compatible
-- Frozen states of a dataset: the valid examples alive at `seq`.
create table dataset_versions (
  id text collate "C" primary key,
  dataset_id text collate "C" not null references datasets (id),
  project_id text not null references projects (id),
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

create function frozen_is_immutable() returns trigger language plpgsql as $$
begin
  raise exception '% of % is refused: what versions are made of never changes', tg_op, tg_table_name;
end $$;
create trigger dataset_versions_are_immutable before update or delete on dataset_versions
  for each row execute function frozen_is_immutable();
create trigger example_contents_are_immutable before update or delete on example_contents
  for each row execute function frozen_is_immutable();
create trigger examples_are_never_deleted before delete on examples
  for each row execute function frozen_is_immutable();
-- An example may end, once.
create trigger examples_are_immutable before update on examples
  for each row when (
    (old.dataset_id, old.id, old.added_seq, old.content_hash, old.split, old.valid, old.tokens, old.origin, old.origin_id)
      is distinct from
    (new.dataset_id, new.id, new.added_seq, new.content_hash, new.split, new.valid, new.tokens, new.origin, new.origin_id)
    or (old.removed_seq <> 9223372036854775807 and old.removed_seq <> new.removed_seq)
  ) execute function frozen_is_immutable();
