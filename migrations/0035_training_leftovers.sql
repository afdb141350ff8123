--! compatible
-- What training puts into the object store is noted before it is put there, so that what a server leaves that dies in
-- between can be found and removed: the store lists nothing.

-- Snapshots that are, or may be, in the object store. Jobs share them; whoever needs one says so here first, and whoever
-- removes one holds its row meanwhile.
create table training_snapshots (
  sha256 text primary key check (sha256 ~ '^[0-9a-f]{64}$'),
  noted_at timestamptz not null default now()
);
create index training_snapshots_by_age on training_snapshots (noted_at);
insert into training_snapshots (sha256)
select distinct snapshot->>'sha256' from training_jobs where snapshot is not null;
create index training_jobs_by_snapshot on training_jobs ((snapshot->>'sha256')) where snapshot is not null;

alter table training_checkpoints add column noted_files jsonb;
comment on column training_checkpoints.noted_files is
  'Names of its files that may be in the object store; null in rows of earlier releases, where `files` has them.';
create index training_checkpoints_to_remove on training_checkpoints (job_id)
 where removed_at is null and (files is not null or noted_files is not null);

-- The adapter of an attempt, its archive and its manifest may be in the object store.
alter table training_attempts add column artifacts_noted boolean not null default false;
update training_attempts set artifacts_noted = true where trained and state <> 'succeeded';
create index training_attempts_to_clear on training_attempts (finished_at)
 where artifacts_noted and state <> 'succeeded';
