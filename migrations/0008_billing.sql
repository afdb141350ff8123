--! compatible
-- Charges and other changes of balances. Rows are only inserted.
--
-- `account_id` has no foreign key: every statement that inserts has locked the account's row, and these rows
-- stay.
create sequence ledger_numbers as bigint;
create table ledger (
  -- Ascends in the order in which an account's rows were written: it is drawn while the account's row is locked. `id` and
  -- `created_at` do not promise that. When a month begins, it jumps to the month's first number, so a charge needs no clock
  -- to find its partition.
  seq bigint not null default nextval('ledger_numbers'),
  id text not null,
  account_id text not null,
  type text not null check (type in ('inference', 'training', 'index', 'grant', 'purchase', 'refund', 'adjustment')),
  -- Charges are negative.
  micro bigint not null,
  balance_after_micro bigint not null check (balance_after_micro >= 0),
  project_id text,
  model_requested text,
  model_served text,
  model_revision integer,
  request_id text,
  training_job_id text,
  attempt integer,
  key_id text,
  key_name text,
  -- The route that was called; null: no call.
  operation text,
  active_ms double precision check (active_ms >= 0),
  units bigint,
  rate_micro_per_minute bigint,
  price_version text,
  -- The most that the charge could be: what was held for it.
  held_micro bigint check (held_micro >= 0),
  prompt_tokens integer,
  completion_tokens integer,
  outcome text check (outcome in ('succeeded', 'client_disconnected', 'canceled')),
  note text,
  -- Not the beginning of the transaction: the rows of an account are in the order of time, too, unless the clock is set back.
  created_at timestamptz not null default clock_timestamp(),
  primary key (account_id, seq),
  -- What is needed to check a charge.
  constraint ledger_inference_is_complete check (type <> 'inference'
    or (micro <= 0 and num_nulls(request_id, active_ms, units, rate_micro_per_minute, held_micro, outcome) = 0)),
  constraint ledger_index_is_complete check (type <> 'index'
    or (micro <= 0 and num_nulls(request_id, active_ms, units, rate_micro_per_minute, held_micro, outcome) = 0)),
  constraint ledger_training_is_complete check (type <> 'training'
    or (micro <= 0 and num_nulls(training_job_id, attempt, active_ms, units, rate_micro_per_minute, held_micro) = 0))
) partition by range (seq);
-- Finds the few rows that are no calls.
create index ledger_other_than_calls on ledger (account_id, seq) where type <> 'inference';

create function ledger_is_insert_only() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is insert-only';
end $$;
create trigger ledger_is_insert_only before update or delete or truncate on ledger
  for each statement execute function ledger_is_insert_only();

-- Makes a charge happen once, in whatever month it is written: a unique index of a partitioned table must contain the
-- partition key, so the ledger cannot have one. Here the month is that of the request's id, which never changes.
create table ledger_once (
  -- See `once_key`.
  request_id text collate "C" not null,
  type text not null,
  seq bigint not null,
  micro bigint not null,
  primary key (request_id, type)
) partition by range (request_id);

-- Attempts of training jobs are `{job}/{attempt}`.
create function once_key(request_id text, training_job_id text, attempt integer) returns text
  language sql immutable parallel safe
  return coalesce(training_job_id || '/' || attempt::text, request_id);

-- The error names one constraint whatever partition refused the row.
create function ledger_happens_once() returns trigger language plpgsql as $$
begin
  insert into ledger_once (request_id, type, seq, micro)
  select once_key(request_id, training_job_id, attempt), type, seq, micro from added
   where num_nonnulls(request_id, training_job_id) > 0;
  return null;
exception when unique_violation then
  raise exception 'this was charged before'
    using errcode = 'unique_violation', constraint = 'ledger_once_per_request', table = 'ledger';
end $$;
create trigger ledger_happens_once after insert on ledger
  referencing new table as added for each statement execute function ledger_happens_once();

create table ledger_once_other partition of ledger_once default;
select add_month('ledger', 'seq', month), add_month('ledger_once', 'req', month)
  from (select (month_of(now()) + make_interval(months => ahead))::date as month from generate_series(0, 2) as ahead) months;

-- Lets the ledger go on in a month: never back, and only in a month whose partition exists.
create function begin_ledger_month(month date) returns void language plpgsql as $$
begin
  if to_regclass('ledger' || to_char(month, '_YYYY_MM')) is not null then
    perform setval('ledger_numbers', ledger_month_start(month), false) from ledger_numbers
      where last_value < ledger_month_start(month);
  end if;
end $$;
select begin_ledger_month(month_of(now()));

-- What the detached months of an account add up to: all its rows up to `seq`. The balance is `micro` and the rows after it.
-- Lists and usage do not contain rows up to `seq`.
create table ledger_partition_balances (
  account_id text primary key,
  seq bigint not null,
  micro bigint not null check (micro >= 0),
  -- Micro-credits by type of row.
  by_type jsonb not null
);

-- 0: the account has no partition balance.
create function partition_balance_seq(of_account text) returns bigint
  language sql stable parallel safe
as $$ select coalesce((select seq from ledger_partition_balances where account_id = of_account), 0) $$;

-- Purchases of credits through a payment provider. `open` waits for the buyer, `processing` for the bank; the other states
-- are final. Money that arrives counts whatever the state was.
create table checkouts (
  id text primary key,
  account_id text not null references accounts (id),
  state text not null default 'open'
    check (state in ('open', 'processing', 'completed', 'failed', 'canceled', 'expired')),
  micro bigint not null check (micro > 0),
  pack_id text,
  -- In the smallest unit of the currency.
  price_minor bigint not null check (price_minor > 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  provider text not null check (provider = 'stripe'),
  provider_session_id text not null,
  url text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  completed_at timestamptz,
  -- When the provider was asked last: a webhook may have been lost.
  checked_at timestamptz not null default now(),
  unique (provider, provider_session_id),
  constraint checkouts_completed_at check ((state = 'completed') = (completed_at is not null))
);
create index checkouts_by_account on checkouts (account_id, created_at);
create index checkouts_in_flight on checkouts (checked_at) where state in ('open', 'processing');

-- Events of the provider that were handled, so that none is handled twice.
create table payment_events (
  id text primary key,
  type text not null,
  checkout_id text not null references checkouts (id),
  received_at timestamptz not null default now()
);

-- When an account has opened checkouts in the last hour, including those in flight. One guarded update of one row adds a
-- time before the provider is called, so the limit is exact for any number of instances.
create table checkout_attempts (
  account_id text primary key references accounts (id),
  attempted_at timestamptz[] not null
);

-- Sums of the calls in the ledger, made in the background so that no call pays for them. The sums of an account contain
-- all its rows up to `seq` and none after it. Rows become visible in the order of `seq`, so none can appear before it
-- later. Readers add the rows after it in the same snapshot. Other rows than calls are few and are read directly.
create table usage_marks (
  account_id text primary key,
  seq bigint not null default 0,
  -- The balance at `seq` is below the operator's threshold. No notice is due for an account that never had more.
  is_low boolean not null default true,
  -- The latest `created_at` up to `seq`, and the longest time by which a row was earlier than one before it: 0 unless the
  -- clock was set back. It bounds the rows of a time span in the order of `seq`.
  latest_at timestamptz,
  max_out_of_order interval not null default '0',
  -- All calls up to `seq`.
  rows bigint not null default 0,
  active_us bigint not null default 0,
  units bigint not null default 0,
  micro bigint not null default 0
) with (fillfactor = 50);

-- The calls of an account in an hour, with the first and the last `seq`. Calls of other hours may lie between.
create table usage_hours (
  account_id text not null,
  hour timestamptz not null,
  rows bigint not null,
  active_us bigint not null,
  units bigint not null,
  micro bigint not null,
  first_seq bigint not null,
  last_seq bigint not null,
  primary key (account_id, hour)
) with (fillfactor = 70);

-- The calls of an account on a day (UTC), together and by key, project and model. Calls without a key have the key ''.
create table usage_days (
  account_id text not null,
  dimension text not null check (dimension in ('all', 'key', 'project', 'model')),
  day timestamptz not null,
  value text not null,
  rows bigint not null,
  active_us bigint not null,
  units bigint not null,
  micro bigint not null,
  primary key (account_id, dimension, day, value)
) with (fillfactor = 70);

-- The calls of each key, project and model and of each combination of them, in chunks of about 200, with the sums of the
-- chunk and of all chunks before it. A page or a total of any filter costs one chunk. Indexes on the ledger would cost
-- every call more.
create table usage_lists (
  list uuid not null,
  first_seq bigint not null,
  -- Not sorted.
  seqs bigint[] not null check (cardinality(seqs) between 1 and 1000),
  active_us bigint not null,
  units bigint not null,
  micro bigint not null,
  rows_before bigint not null,
  active_us_before bigint not null,
  units_before bigint not null,
  micro_before bigint not null,
  primary key (list, first_seq)
) with (fillfactor = 70);

-- The list of the calls with this key, project and model; null: any.
create function usage_list(account text, key text, project text, model text) returns uuid
language sql stable parallel safe
as $$ select md5(jsonb_build_array(account, key, project, model)::text)::uuid $$;

-- As `sum`, but without `numeric`, which takes most of the time of a summary. No rows sum up to 0.
create aggregate usage_sum(bigint) (sfunc = int8pl, stype = bigint, initcond = '0', parallel = safe);

-- Sums of the calls of a list before a `seq`; for the beginning of a list, of calls that are in a partition balance.
-- `limit 1`, here and below, makes a look-up one probe of the index, whatever the statistics say.
create function usage_before(of_account text, of_list uuid, before_seq bigint)
returns table (rows bigint, active_us bigint, units bigint, micro bigint)
language sql stable
as $$
  with chunk as (
    select *, (select max(seq) from unnest(seqs) as seq) < before_seq as is_whole
      from usage_lists where list = of_list and first_seq < before_seq order by first_seq desc limit 1
  ), own as (
    select cardinality(chunk.seqs) as rows, chunk.active_us, chunk.units, chunk.micro from chunk where chunk.is_whole
    union all
    select count(*), coalesce(sum(round(row.active_ms * 1000)::bigint), 0), coalesce(sum(row.units), 0),
           coalesce(sum(row.micro), 0)
      from chunk cross join lateral unnest(chunk.seqs) as entry (seq)
     cross join lateral (select * from ledger where account_id = of_account and seq = entry.seq limit 1) row
     where entry.seq < before_seq and not chunk.is_whole
    union all
    select rows_before, active_us_before, units_before, micro_before from chunk
    union all
    (select rows_before, active_us_before, units_before, micro_before from usage_lists
      where list = of_list and not exists (select from chunk) order by first_seq limit 1)
  )
  select coalesce(sum(own.rows), 0)::bigint, coalesce(sum(own.active_us), 0)::bigint,
         coalesce(sum(own.units), 0)::bigint, coalesce(sum(own.micro), 0)::bigint
    from own
$$;

-- Where the rows of a time span are in the order of `seq`, for rows up to the mark. Certainly before `since`:
-- `seq <= out_until`; certainly not: `seq >= in_from`. Certainly before `until`: `seq <= in_until`; certainly not:
-- `seq >= out_from`. No row is earlier than one before it by more than `max_out_of_order`: after a row that is so much later
-- than a time, all rows are later, and before one that is so much earlier, all are earlier.
create function usage_bounds(of_account text, since timestamptz, until timestamptz)
returns table (mark bigint, out_until bigint, in_from bigint, in_until bigint, out_from bigint)
language sql stable
as $$
  with mark as (
    select coalesce(max(seq), 0) as seq, coalesce(max(max_out_of_order), '0') as slack
      from usage_marks where account_id = of_account
  )
  select seq,
         greatest(partition_balance_seq(of_account), case when since is null then 0 else coalesce((
           select last_seq from usage_hours where account_id = of_account and hour <= since - slack - interval '1 hour'
            order by hour desc limit 1), 0) end),
         case when since is null then 0 else coalesce((
           select first_seq from usage_hours where account_id = of_account and hour >= since + slack
            order by hour limit 1), 9223372036854775807) end,
         case when until is null then 9223372036854775806 else coalesce((
           select last_seq from usage_hours where account_id = of_account and hour <= until - slack - interval '1 hour'
            order by hour desc limit 1), 0) end,
         case when until is null then 9223372036854775807 else coalesce((
           select first_seq from usage_hours where account_id = of_account and hour >= until + slack
            order by hour limit 1), 9223372036854775807) end
    from mark
$$;

-- Sums of the calls with this key, project and model (null: any, but not all three) in a time span (null: no bound): from
-- the list what is certainly in it, row by row what lies at its ends and after the mark.
create function usage_between(
  of_account text, of_key text, of_project text, of_model text, since timestamptz, until timestamptz)
returns table (rows bigint, active_us bigint, units bigint, micro bigint)
language plpgsql stable
as $$
#variable_conflict use_column
declare
  of_list uuid := usage_list(of_account, of_key, of_project, of_model);
  bounds record;
begin
  select * into bounds from usage_bounds(of_account, since, until);
  return query
    with certain as (
      select after.rows - before.rows as rows, after.active_us - before.active_us as active_us,
             after.units - before.units as units, after.micro - before.micro as micro
        from usage_before(of_account, of_list, bounds.in_until + 1) after
       cross join usage_before(of_account, of_list, bounds.in_from) before
       where bounds.in_from <= bounds.in_until
    ), edge as (
      select * from (values (bounds.out_until, bounds.in_from), (bounds.in_until, bounds.out_from)) as edge (above, below)
       where bounds.in_from <= bounds.in_until
      union all
      select bounds.out_until, bounds.out_from where bounds.in_from > bounds.in_until
    ), edge_row as (
      select row.*
        from edge
       cross join lateral (
         select seqs from usage_lists
          where list = of_list and first_seq < edge.below and first_seq >= coalesce((
                  select first_seq from usage_lists where list = of_list and first_seq <= edge.above
                   order by first_seq desc limit 1), 0)) chunk
       cross join lateral unnest(chunk.seqs) as entry (seq)
       cross join lateral (select * from ledger where account_id = of_account and seq = entry.seq limit 1) row
       where edge.below > edge.above + 1 and entry.seq > edge.above and entry.seq < edge.below
      union all
      select * from ledger
       where account_id = of_account and seq > bounds.mark and type = 'inference' and (of_key is null or key_id = of_key)
         and (of_project is null or project_id = of_project)
         and (of_model is null or coalesce(model_requested, model_served) = of_model)
    ), part as (
      select * from certain
      union all
      select count(*), sum(round(edge_row.active_ms * 1000)::bigint), sum(edge_row.units), sum(edge_row.micro) from edge_row
       where (since is null or created_at >= since) and (until is null or created_at < until)
    )
    select coalesce(sum(part.rows), 0)::bigint, coalesce(sum(part.active_us), 0)::bigint,
           coalesce(sum(part.units), 0)::bigint, coalesce(sum(part.micro), 0)::bigint
      from part;
end $$;
