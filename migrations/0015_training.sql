--! compatible
-- Training jobs: a base model, a version of a dataset and how to train; at most one attempt at a time. `state` and `attempt`
-- change together under the row's lock (src/training/jobs/lifecycle.ts).
create table training_jobs (
  id text collate "C" primary key,
  project_id text not null references all_projects (id),
  -- The project's owner, who pays.
  account_id text not null references accounts (id),
  name text not null check (char_length(name) between 1 and 80),
  -- For searches, folded by the program.
  search_text text not null,
  kind text not null check (kind in ('text', 'embedding')),
  base_model_id text not null,
  -- Of the base model's file: training and serving use the same one.
  base_sha256 text not null check (base_sha256 ~ '^[0-9a-f]{64}$'),
  dataset_id text collate "C" not null references datasets (id),
  dataset_version_id text collate "C" not null references dataset_versions (id),
  -- With all defaults resolved.
  hyperparameters jsonb not null,
  evaluation jsonb not null,
  -- The alias that gets the result; null: none.
  deploy jsonb,
  state text not null default 'queued' check (state in ('queued', 'preparing', 'running', 'interrupted', 'saving',
    'canceling', 'succeeded', 'failed', 'canceled')),
  attempt integer not null default 1 check (attempt >= 1),
  -- Losses of the worker or the trainer since the attempt last made progress; and those of the trainer alone.
  interruptions integer not null default 0,
  crashes integer not null default 0,
  -- False: its checkpoints are removed as soon as it ends.
  keeps_checkpoints boolean not null default true,
  phase text,
  progress jsonb,
  error jsonb,
  result jsonb,
  -- Manifest of the tokens to learn from, which all attempts share; null until they are made.
  snapshot jsonb,
  -- Digests of the GGUF adapter that is served and of the archive to download.
  adapter_sha256 text,
  archive_sha256 text,
  archive_bytes bigint,
  rate_micro_per_minute bigint not null check (rate_micro_per_minute >= 0),
  price_version text not null,
  -- The last `seq` of the log.
  log_seq bigint not null default 0,
  -- The worker that has the job, and until when unless it renews.
  lease_holder text,
  lease_until timestamptz,
  -- When another worker must deploy the result because the one that ended the job has not; null: nothing to deploy.
  deploy_at timestamptz,
  -- The position in the queue: accounts are served in rounds (docs/adr/0023-training-jobs.md), in a round by time.
  queue_round integer not null,
  queued_at timestamptz not null default now(),
  created_by jsonb not null,
  created_at timestamptz not null default now(),
  -- Of this attempt.
  started_at timestamptz,
  finished_at timestamptz,
  updated_at timestamptz not null default now(),
  constraint training_jobs_lease_is_whole check ((lease_holder is null) = (lease_until is null)),
  constraint training_jobs_only_live_are_leased check (lease_holder is null
    or state in ('preparing', 'running', 'saving', 'canceling')),
  constraint training_jobs_error_is_of_failure check ((state = 'failed') = (error is not null)),
  constraint training_jobs_success_has_adapter check (state <> 'succeeded'
    or num_nulls(adapter_sha256, archive_sha256, archive_bytes, result) = 0),
  constraint training_jobs_end_has_time check ((state in ('succeeded', 'failed', 'canceled')) = (finished_at is not null))
);
create index training_jobs_by_project on training_jobs (project_id, created_at desc, id desc);
create index training_jobs_by_account on training_jobs (account_id, created_at desc, id desc);
create index training_jobs_by_version on training_jobs (dataset_version_id);
create index training_jobs_by_snapshot on training_jobs ((snapshot->>'sha256')) where snapshot is not null;
-- The few unfinished ones, in the order of the queue.
create index training_jobs_live on training_jobs (queue_round, queued_at, id) where finished_at is null;
create index training_jobs_live_by_account on training_jobs (account_id) where finished_at is null;
create index training_jobs_to_deploy on training_jobs (deploy_at) where deploy_at is not null;

-- The adapter that is served, and the archive to download.
create function job_storage_bytes(j training_jobs) returns bigint language sql immutable parallel safe
return coalesce(j.archive_bytes, 0) + coalesce((j.result -> 'adapter' ->> 'sizeBytes')::bigint, 0);

-- The result is stored also where the account has no storage left: its training is paid for.
create function training_jobs_add_storage() returns trigger language plpgsql as $$
begin
  perform change_storage(new.account_id, job_storage_bytes(new) - job_storage_bytes(old));
  return null;
end $$;
create trigger training_jobs_add_storage after update of archive_bytes on training_jobs
  for each row when (old.archive_bytes is distinct from new.archive_bytes)
  execute function training_jobs_add_storage();

create function training_jobs_release_storage() returns trigger language plpgsql as $$
begin
  perform change_storage(old.account_id, -job_storage_bytes(old));
  return null;
end $$;
create trigger training_jobs_release_storage after delete on training_jobs
  for each row when (old.archive_bytes is not null) execute function training_jobs_release_storage();

create table training_attempts (
  job_id text collate "C" not null references training_jobs (id),
  number integer not null check (number >= 1),
  id text not null unique,
  state text not null default 'queued',
  -- Trainers of this attempt before the present one, and the last one that was started.
  restart integer not null default 0,
  begun_restart integer not null default -1,
  -- Which of the trainer's events, and of the lines of this restart, are in the log.
  trainer_seq bigint not null default 0,
  trainer_line integer not null default 0,
  -- Lines that exceeded the log's limit.
  dropped_lines integer not null default 0,
  -- The trainer has succeeded; the result is still to be saved.
  trained boolean not null default false,
  resumed_from jsonb,
  estimate jsonb not null,
  held_micro bigint not null check (held_micro >= 0),
  -- The highest that the trainer reported, without work that was repeated.
  active_ms double precision not null default 0 check (active_ms >= 0),
  -- Time of steps that an interruption has undone.
  redone_ms double precision not null default 0 check (redone_ms >= 0),
  -- Null until the attempt ends.
  billed_ms bigint check (billed_ms >= 0),
  charged_micro bigint check (charged_micro >= 0),
  steps integer not null default 0,
  error jsonb,
  -- The adapter, its archive and its manifest may be in the object store.
  artifacts_noted boolean not null default false,
  created_at timestamptz not null default now(),
  -- When a worker took it.
  taken_at timestamptz,
  -- From when on time is charged.
  started_at timestamptz,
  finished_at timestamptz,
  primary key (job_id, number)
);
create index training_attempts_to_clear on training_attempts (finished_at) where artifacts_noted and state <> 'succeeded';

-- What training puts into the object store is noted here before it is put there: the object store lists nothing, so what a
-- dead worker leaves could not be found otherwise.
create table training_checkpoints (
  job_id text collate "C" not null,
  attempt integer not null,
  name text not null check (name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$'),
  step integer not null,
  -- The trainer's when it was written.
  active_ms double precision not null,
  loss double precision,
  eval_loss double precision,
  size_bytes bigint not null,
  -- Names of its files that may be in the object store, and the same names once all are.
  noted_files jsonb,
  files jsonb,
  removed_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (job_id, attempt, name),
  foreign key (job_id, attempt) references training_attempts (job_id, number),
  constraint training_checkpoints_files_are_noted check (files is null or noted_files is not null)
);
create index training_checkpoints_to_remove on training_checkpoints (job_id)
  where removed_at is null and noted_files is not null;

-- Snapshots that are, or may be, in the object store. Jobs share them. A job notes here that it needs one, and whoever
-- removes one locks its row.
create table training_snapshots (
  sha256 text primary key check (sha256 ~ '^[0-9a-f]{64}$'),
  noted_at timestamptz not null default now()
);
create index training_snapshots_by_age on training_snapshots (noted_at);

-- Numbered per job without gaps: the transaction that writes a line takes the number from the job's row.
create table training_logs (
  job_id text collate "C" not null,
  seq bigint not null,
  attempt integer not null,
  at timestamptz not null default clock_timestamp(),
  level text not null check (level in ('debug', 'info', 'warn', 'error')),
  source text not null check (source in ('system', 'trainer')),
  message text not null,
  data jsonb,
  primary key (job_id, seq)
);

-- A step that is repeated after an interruption replaces its values.
create table training_metrics (
  job_id text collate "C" not null,
  attempt integer not null,
  name text not null,
  step integer not null,
  value double precision not null,
  primary key (job_id, attempt, name, step)
);

-- In place of foreign keys, which every line of a log would pay for.
create function job_has_no_records() returns trigger language plpgsql as $$
begin
  if exists (select from training_logs where job_id = old.id) or exists (select from training_metrics where job_id = old.id) then
    raise exception 'the training job % has records', old.id using errcode = 'foreign_key_violation', table = 'training_jobs';
  end if;
  return old;
end $$;
create trigger training_jobs_have_no_records before delete on training_jobs
  for each row execute function job_has_no_records();
