--! compatible
-- Training jobs: a base model, a frozen version of a dataset and how to train; at most one attempt at a time. `state` and
-- `attempt` change together under the row's lock (src/training/jobs/lifecycle.ts says how).
create table training_jobs (
  id text collate "C" primary key,
  project_id text not null references projects (id),
  -- The project's owner, who pays.
  account_id text not null references accounts (id),
  name text not null check (char_length(name) between 1 and 80),
  -- What a search for a job looks through.
  search_text text not null,
  kind text not null check (kind in ('text', 'embedding')),
  base_model_id text not null,
  -- Digest of the base model's file: what is trained on is what serves.
  base_sha256 text not null check (base_sha256 ~ '^[0-9a-f]{64}$'),
  dataset_id text collate "C" not null references datasets (id),
  dataset_version_id text collate "C" not null references dataset_versions (id),
  -- Resolved: every default is in it.
  hyperparameters jsonb not null,
  evaluation jsonb not null,
  -- Alias to put the result behind; null: none.
  deploy jsonb,
  state text not null default 'queued' check (state in ('queued', 'preparing', 'running', 'interrupted', 'saving',
    'canceling', 'succeeded', 'failed', 'canceled')),
  attempt integer not null default 1 check (attempt >= 1),
  -- Losses of this attempt since it last got further.
  interruptions integer not null default 0,
  -- False: its checkpoints go as soon as it is over.
  keeps_checkpoints boolean not null default true,
  phase text,
  progress jsonb,
  error jsonb,
  result jsonb,
  -- Manifest of the tokens that are learned from; null until they are made. Attempts share it.
  snapshot jsonb,
  -- What serves the result: digest of the GGUF adapter, and of the archive to download.
  adapter_sha256 text,
  archive_sha256 text,
  archive_bytes bigint,
  rate_micro_per_minute bigint not null check (rate_micro_per_minute >= 0),
  price_version text not null,
  -- The last number of the log.
  log_seq bigint not null default 0,
  -- Who works on it, and until when unless it shows life.
  lease_holder text,
  lease_until timestamptz,
  created_by jsonb not null,
  created_at timestamptz not null default now(),
  -- Its place in the queue.
  queued_at timestamptz not null default now(),
  -- Runs of this attempt, from `started` on.
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
-- The few that are not over, in the order of the queue.
create index training_jobs_live on training_jobs (queued_at, id) where finished_at is null;
create index training_jobs_live_by_account on training_jobs (account_id) where finished_at is null;

create table training_attempts (
  job_id text collate "C" not null references training_jobs (id),
  number integer not null check (number >= 1),
  id text not null unique,
  state text not null default 'queued',
  -- Trainers of this attempt before the present one.
  restart integer not null default 0,
  -- The last of them that was begun.
  begun_restart integer not null default -1,
  -- What of the trainer's events, and of the lines of this restart, is in the log.
  trainer_seq bigint not null default 0,
  trainer_line integer not null default 0,
  -- Lines that the log did not take any more.
  dropped_lines integer not null default 0,
  -- How the trainer ended well; what is left is to save.
  trained boolean not null default false,
  resumed_from jsonb,
  estimate jsonb not null,
  held_micro bigint not null check (held_micro >= 0),
  -- The highest that the trainer reported, less what was done twice.
  active_ms double precision not null default 0 check (active_ms >= 0),
  -- Time of steps that an interruption has undone.
  redone_ms double precision not null default 0 check (redone_ms >= 0),
  -- null until it is over; a row of the ledger where it is more than nothing.
  billed_ms bigint check (billed_ms >= 0),
  charged_micro bigint check (charged_micro >= 0),
  steps integer not null default 0,
  error jsonb,
  created_at timestamptz not null default now(),
  -- When a worker took it.
  taken_at timestamptz,
  -- When it began to count time: free before.
  started_at timestamptz,
  finished_at timestamptz,
  primary key (job_id, number)
);

create table training_checkpoints (
  job_id text collate "C" not null,
  attempt integer not null,
  name text not null check (name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$'),
  step integer not null,
  -- Of the trainer, when it was written.
  active_ms double precision not null,
  loss double precision,
  eval_loss double precision,
  size_bytes bigint not null,
  -- Names of its files; null until all of them are in the object store.
  files jsonb,
  removed_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (job_id, attempt, name),
  foreign key (job_id, attempt) references training_attempts (job_id, number)
);

-- Numbered per job without gaps: the number is drawn from the job's row in the transaction that writes the line.
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

-- A step that is done again after an interruption replaces what it had measured.
create table training_metrics (
  job_id text collate "C" not null,
  attempt integer not null,
  name text not null,
  step integer not null,
  value double precision not null,
  primary key (job_id, attempt, name, step)
);

-- Credits that a job may cost are held for as long as it lives, whatever becomes of processes: its hold is of no instance.
alter table holds alter column instance_id drop not null,
  add constraint holds_without_instance_are_of_training check (instance_id is not null or request_id like 'training\_%');
alter table ledger add constraint ledger_training_is_complete check (type <> 'training'
  or (micro <= 0 and num_nulls(training_job_id, attempt, active_ms, units, rate_micro_per_minute, held_micro) = 0)) not valid;
