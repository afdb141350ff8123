--! compatible
-- Time as the account's ledger goes, not as transactions began: rows of one account are in order of time, too, unless
-- the clock of the database is set back.
alter table ledger alter column created_at set default clock_timestamp();

-- What a training charge needs, and what makes it happen once per attempt.
alter table ledger add column training_job_id text, add column attempt integer;
create unique index ledger_once_per_attempt on ledger (type, training_job_id, attempt) where training_job_id is not null;

-- Finds the few rows among calls without number that are none. It costs a call nothing.
create index ledger_other_than_calls on ledger (account_id, seq) where type <> 'inference';

-- Sums of the ledger, made in the background so that a call does not pay for them. How far an account is summed up: all
-- its rows up to `seq`, none behind. Its rows become visible in the order of `seq` (see 0005_billing.sql), so nothing
-- can appear before the mark later on. Readers add the rows behind the mark themselves, in the same snapshot.
create table usage_marks (
  account_id text primary key,
  seq bigint not null default 0,
  -- The balance at `seq` is below the operator's threshold. An account that never had more has nothing to be told.
  is_low boolean not null default true,
  -- The latest `created_at` up to `seq`, and how far a row lay behind the latest one before it at most: 0 unless the
  -- clock was set back. It bounds where in the order of `seq` the rows of a span of time can be.
  latest_at timestamptz,
  disorder interval not null default '0'
) with (fillfactor = 50);

-- One row per account, hour (day, ever) and what it is summed over:
--   node 0 everything   1 by model   2 by key   3 by project   4 by key, project and model
-- and always by type. What a node does not tell apart is ''.
create table usage_sums (
  account_id text not null,
  node smallint not null check (node between 0 and 4),
  grain text not null check (grain in ('hour', 'day', 'ever')),
  -- Start of the hour or day, UTC; '-infinity' for ever.
  bucket timestamptz not null,
  key_id text not null,
  project_id text not null,
  model text not null,
  type text not null,
  rows bigint not null,
  active_us bigint not null,
  units bigint not null,
  micro bigint not null,
  -- The first and the last of these rows in the ledger; others of the account lie between.
  first_seq bigint not null,
  last_seq bigint not null,
  primary key (account_id, node, grain, bucket, key_id, project_id, model, type)
) with (fillfactor = 70);
create index usage_sums_by_key on usage_sums (account_id, key_id, grain, bucket) where key_id <> '';
create index usage_sums_by_project on usage_sums (account_id, project_id, grain, bucket) where project_id <> '';

-- Where in the ledger the rows of a key, a project or a model are, in chunks of a hundred: what three more indexes on
-- the ledger would tell, without a call paying for their upkeep (6 µs each).
create table usage_places (
  account_id text not null,
  dimension text not null check (dimension in ('key', 'project', 'model')),
  value text not null,
  first_seq bigint not null,
  -- Rows of this value in the chunks before.
  preceding bigint not null,
  seqs bigint[] not null check (cardinality(seqs) between 1 and 100),
  primary key (account_id, dimension, value, first_seq)
) with (fillfactor = 70);
