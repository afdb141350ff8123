--! compatible
-- Running server processes. One that stops renewing `seen_at` is dead, and its holds are given back.
create table instances (
  id text primary key,
  seen_at timestamptz not null default now()
);

-- Upper bounds reserved for calls in flight: a row lives from admission to settlement or release, so the table stays
-- small and needs no index but its key.
-- `account_id` has no foreign key, here and in the ledger: every statement that inserts has just locked the account's
-- row, and accounts are never deleted; the check would cost more than the insert itself.
create table holds (
  request_id text primary key,
  account_id text not null,
  instance_id text not null,
  micro bigint not null check (micro > 0),
  created_at timestamptz not null default now()
);

-- The sum of those holds of a batch that fit into what is available, taken in order: one that does not fit is left out
-- and costs the later ones nothing.
create function add_if_it_fits(taken bigint, micro bigint, available bigint) returns bigint
  language plpgsql immutable strict parallel safe
as $$
begin
  if micro <= available - taken then
    return taken + micro;
  end if;
  return taken;
end $$;
create aggregate greedy_sum(micro bigint, available bigint) (
  sfunc = add_if_it_fits, stype = bigint, initcond = '0', parallel = safe
);

-- The ledger is only ever inserted into; the trigger makes that a rule, not a habit.
create table ledger (
  -- Counts up in the order in which an account's rows were written: drawn while the account's row is locked. Neither
  -- `id` nor `created_at` promise that between processes.
  seq bigint not null generated always as identity,
  id text not null,
  account_id text not null,
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
  -- The most this charge could be: what was held for the call.
  held_micro bigint check (held_micro >= 0),
  prompt_tokens integer,
  completion_tokens integer,
  outcome text check (outcome in ('succeeded', 'client_disconnected', 'canceled')),
  note text,
  created_at timestamptz not null default now(),
  primary key (account_id, seq),
  -- What is needed to check the charge, and the key that makes it happen once.
  constraint ledger_inference_is_complete check (
    type <> 'inference'
    or (micro <= 0 and num_nulls(request_id, active_ms, units, rate_micro_per_minute, held_micro, outcome) = 0)
  )
);
create unique index ledger_once_per_request on ledger (type, request_id) where request_id is not null;

create function ledger_is_insert_only() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is insert-only';
end $$;
create trigger ledger_is_insert_only before update or delete or truncate on ledger
  for each statement execute function ledger_is_insert_only();
