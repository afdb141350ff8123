--! compatible
-- Answers kept for repeated requests. A row is made before its request runs and has no answer until the request has
-- ended well; a request that fails takes its row away. Rows of a day ago are as good as none.
create table idempotent_requests (
  account_id text not null,
  key text not null check (char_length(key) between 1 and 128),
  -- SHA-256 of method, path and body: the same key with another request is a conflict.
  fingerprint bytea not null check (octet_length(fingerprint) = 32),
  -- The request that runs or ran it, and the process where; as long as that lives, nobody else may run it.
  request_id text not null,
  instance_id text not null,
  status smallint,
  body bytea,
  -- The body holds a secret and is encrypted with a key made of the caller's own credential.
  sealed boolean not null default false,
  -- What a call of a model is to pay. It is kept with the answer, before it is paid, so that neither can be lost alone.
  charge jsonb,
  created_at timestamptz not null default now(),
  primary key (account_id, key),
  constraint idempotent_requests_answer_is_whole check (num_nulls(status, body) in (0, 2))
);
create index idempotent_requests_by_age on idempotent_requests (created_at);
create index idempotent_requests_running on idempotent_requests (instance_id) where status is null;

-- What became of calls that left no ledger row; kept for 30 days. The ids begin with the time, so the key is the age.
create table failed_requests (
  id text primary key,
  account_id text not null,
  state text not null check (state in ('failed', 'canceled', 'unknown')),
  operation text,
  project_id text,
  model text,
  http_status smallint,
  error_code text,
  finished_at timestamptz not null
);

-- Calls in flight that take longer than a moment, as each process writes them down now and then: one row per process,
-- a call of its own costs no statement. `calls` has them by id. Unlogged: after a crash of PostgreSQL it is written anew.
create unlogged table running_requests (
  instance_id text primary key,
  calls jsonb not null
);

-- Which route a charge came from; null in rows of earlier releases and in those that are no call.
alter table ledger add column operation text;
