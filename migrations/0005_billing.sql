--! compatible
-- Running server processes. A process that stops renewing `seen_at` is dead, and its holds are released.
create table instances (
  id text primary key,
  seen_at timestamptz not null default now()
);

-- Upper bounds reserved for calls in flight. A row lives from admission to settlement or release.
create table holds (
  request_id text primary key,
  account_id text not null references accounts (id),
  instance_id text not null,
  micro bigint not null check (micro > 0),
  created_at timestamptz not null default now()
);
create index holds_by_instance on holds (instance_id);

-- The ledger is only ever inserted into; the trigger makes that a rule, not a habit.
create table ledger (
  id text primary key,
  account_id text not null references accounts (id),
  type text not null check (type in ('inference', 'training', 'index', 'grant', 'purchase', 'refund', 'adjustment')),
  -- Signed: charges are negative.
  micro bigint not null,
  balance_after_micro bigint not null check (balance_after_micro >= 0),
  project_id text,
  model_requested text,
  model_served text,
  model_revision integer,
  request_id text,
  key_id text,
  key_name text,
  active_ms double precision check (active_ms >= 0),
  units bigint,
  rate_micro_per_minute bigint,
  price_version text,
  prompt_tokens integer,
  completion_tokens integer,
  outcome text check (outcome in ('succeeded', 'client_disconnected', 'canceled')),
  note text,
  created_at timestamptz not null default now()
);
create unique index ledger_once_per_request on ledger (type, request_id) where request_id is not null;
create index ledger_by_account on ledger (account_id, created_at desc, id desc);

create function ledger_is_insert_only() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is insert-only';
end $$;
create trigger ledger_is_insert_only before update or delete or truncate on ledger
  for each statement execute function ledger_is_insert_only();
