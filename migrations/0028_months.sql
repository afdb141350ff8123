--! compatible
-- Tables that grow with every call are cut into months (docs/adr/0011-months.md). Partitions of a table are called
-- `{table}_{year}_{month}`; `{table}_other` takes rows of no month that is there, so that a clock which jumps loses nothing.

-- The id before all ids of this kind that are made at or after a moment, as in src/kernel/ids.ts.
create function first_id_at(prefix text, moment timestamptz) returns text
  language sql immutable strict parallel safe
  return prefix || '_' || (
    select string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (ms >> shift & 31)::integer, 1), '' order by shift desc)
      from (select floor(extract(epoch from moment) * 1000)::bigint) as time (ms), generate_series(0, 45, 5) as shift
  ) || repeat('0', 16);

-- The first number of a month in the ledger. 2^38 numbers for each: 100,000 charges a second, and all of them are exact in
-- a double until the year 2730. Whoever uses up a month's numbers goes on in the next.
create function ledger_month_start(month date) returns bigint
  language sql immutable strict parallel safe
  return (extract(year from month)::bigint * 12 + extract(month from month)::bigint - 1) << 38;

-- The months of UTC.
create function month_of(moment timestamptz) returns date
  language sql immutable strict parallel safe
  return date_trunc('month', moment at time zone 'UTC')::date;

-- Where a month begins, as a literal of the key: of `seq`, of a `time`, or of ids with that prefix.
create function month_border(key text, month date) returns text
  language sql immutable strict parallel safe
  return case key
    when 'seq' then ledger_month_start(month)::text
    when 'time' then quote_literal(to_char(month, 'YYYY-MM-DD') || 'T00:00:00Z')
    else quote_literal(first_id_at(key, month::timestamp at time zone 'UTC'))
  end;


-- Makes the partition of a month, if it is not there, and moves rows into it that came before it was. Attaching waits for
-- nobody who reads or writes the months that are there.
create function add_month(parent text, key text, month date) returns boolean language plpgsql as $$
declare
  name constant text := parent || to_char(month, '_YYYY_MM');
  other constant text := parent || '_other';
  first constant text := month_border(key, month);
  next constant text := month_border(key, (month + interval '1 month')::date);
  "column" constant text := (
    select attname from pg_partitioned_table join pg_attribute on attrelid = partrelid and attnum = partattrs[0]
     where partrelid = parent::regclass);
  has_rows boolean := false;
begin
  if to_regclass(name) is not null then
    return false;
  end if;
  execute format('create table %I (like %I including all)', name, parent);
  if to_regclass(other) is not null then
    execute format('lock table %I in access exclusive mode', other);
    execute format('select exists (select from %I where %I >= %s and %I < %s)', other, "column", first, "column", next)
       into has_rows;
  end if;
  if has_rows then
    execute format('alter table %I disable trigger user', other);
    execute format('with moved as (delete from %I where %I >= %s and %I < %s returning *) insert into %I select * from moved',
      other, "column", first, "column", next, name);
    execute format('alter table %I enable trigger user', other);
  end if;
  execute format('alter table %I attach partition %I for values from (%s) to (%s)', parent, name, first, next);
  if parent = 'ledger' then
    execute format('create trigger ledger_is_insert_only before update or delete or truncate on %I
                      for each statement execute function ledger_is_insert_only()', name);
  end if;
  return true;
end $$;

-- The ledger, by its own numbers. `seq` ascends by itself within a month; when a month begins, it jumps to the month's first
-- number. So a charge needs no clock to find its partition, every look-up by `seq` goes to one, and the order of numbers is
-- the order of writing as before.
alter table ledger rename to ledger_before;
alter table ledger_before alter column seq drop identity;
alter table ledger_before rename constraint ledger_pkey to ledger_before_pkey;
alter table ledger_before validate constraint ledger_training_is_complete;
alter index ledger_other_than_calls rename to ledger_before_other_than_calls;

create sequence ledger_numbers as bigint;
create table ledger (like ledger_before including defaults including constraints including storage)
  partition by range (seq);
alter table ledger alter column seq set default nextval('ledger_numbers'), add primary key (account_id, seq);
alter sequence ledger_numbers owned by ledger.seq;
create index ledger_other_than_calls on ledger (account_id, seq) where type <> 'inference';
create trigger ledger_is_insert_only before update or delete or truncate on ledger
  for each statement execute function ledger_is_insert_only();

-- What makes a charge happen once, whatever month it is settled in: a unique index of a partitioned table must contain the
-- partition's key, so the ledger itself cannot have it. The month here is that of the request's id, which never changes.
-- Attempts of training jobs are `{job}/{attempt}`.
create table ledger_once (
  request_id text collate "C" not null,
  type text not null,
  seq bigint not null,
  micro bigint not null,
  primary key (request_id, type)
) partition by range (request_id);
create table ledger_once_other partition of ledger_once default;

create function once_key(request_id text, training_job_id text, attempt integer) returns text
  language sql immutable parallel safe
  return coalesce(training_job_id || '/' || attempt, request_id);

-- Of two that charge the same, the second waits for the first and then fails, as with a unique index.
create function ledger_happens_once() returns trigger language plpgsql as $$
declare
  written bigint;
begin
  insert into ledger_once (request_id, type, seq, micro)
  select once_key(request_id, training_job_id, attempt), type, seq, micro from added
   where num_nonnulls(request_id, training_job_id) > 0
      on conflict do nothing;
  get diagnostics written = row_count;
  if written < (select count(*) from added where num_nonnulls(request_id, training_job_id) > 0) then
    raise exception 'this was charged before'
      using errcode = 'unique_violation', constraint = 'ledger_once_per_request', table = 'ledger';
  end if;
  return null;
end $$;

do $$
declare
  this_month constant date := month_of(now());
  last_month constant text := to_char(this_month - 1, '_YYYY_MM');
begin
  for ahead in 0 .. 2 loop
    perform add_month('ledger', 'seq', (this_month + make_interval(months => ahead))::date);
    perform add_month('ledger_once', 'req', (this_month + make_interval(months => ahead))::date);
  end loop;
  perform setval('ledger_numbers', ledger_month_start(this_month), false);
  if exists (select from ledger_before) then
    -- What was written so far stays where it is, under the name of the last month that it can be of.
    execute format('alter table ledger_before rename to %I', 'ledger' || last_month);
    execute format('alter table ledger attach partition %I for values from (minvalue) to (%s)', 'ledger' || last_month,
      month_border('seq', this_month));
    execute format('create table %I partition of ledger_once for values from (%L) to (%s)', 'ledger_once' || last_month,
      'req_', month_border('req', this_month));
    insert into ledger_once (request_id, type, seq, micro)
    select once_key(request_id, training_job_id, attempt), type, seq, micro from ledger
     where num_nonnulls(request_id, training_job_id) > 0;
  else
    drop table ledger_before;
  end if;
end $$;

create trigger ledger_happens_once after insert on ledger
  referencing new table as added for each statement execute function ledger_happens_once();

-- The number jumps when a month begins. Only to a partition that others can see by now, and never back.
create function turn_ledger(month date) returns void language plpgsql as $$
begin
  if to_regclass('ledger' || to_char(month, '_YYYY_MM')) is not null then
    perform setval('ledger_numbers', ledger_month_start(month), false) from ledger_numbers
      where last_value < ledger_month_start(month);
  end if;
end $$;

-- What a limited call has cost is found by its request, in the months of these requests only.
create or replace function leave_limited_calls(request_ids text[], at timestamptz) returns void
language plpgsql as $$
declare
  today date := (coalesce(at, clock_timestamp()) at time zone 'UTC')::date;
  first_id text;
  last_id text;
begin
  select min(id), max(id) into first_id, last_id from (select unnest(request_ids) collate "C" as id) asked;
  perform from limit_counters
    where subject in (select subject from limited_calls where request_id = any(request_ids))
    order by subject for no key update;
  with gone as (
    delete from limited_calls where request_id = any(request_ids) returning subject, request_id
  ), paid as (
    select gone.subject, sum(-once.micro)::bigint as micro
      from gone join ledger_once once on once.type = 'inference' and once.request_id = gone.request_id
     where once.request_id >= first_id and once.request_id <= last_id
     group by gone.subject
  )
  update limit_counters
     set day_micro = case when day = today then day_micro else 0 end + paid.micro, day = today
    from paid where limit_counters.subject = paid.subject;
end $$;

-- What became of calls that left no ledger row, by the month of their id.
alter table failed_requests rename to failed_requests_before;
alter table failed_requests_before rename constraint failed_requests_pkey to failed_requests_before_pkey;
alter index failed_requests_by_account rename to failed_requests_before_by_account;
create table failed_requests (
  id text collate "C" primary key,
  account_id text not null,
  state text not null check (state in ('failed', 'canceled', 'unknown')),
  operation text,
  project_id text,
  model text,
  http_status smallint,
  error_code text,
  finished_at timestamptz not null
) partition by range (id);
create index failed_requests_by_account on failed_requests (account_id, id) where state <> 'canceled';
create table failed_requests_other partition of failed_requests default;

-- The feed, by the time that it is ordered by. `id` is unique because it is random; there is no foreign key, because
-- attaching a month would then wait for every charge of a call, and accounts are never deleted.
alter table activity rename to activity_before;
alter table activity_before rename constraint activity_pkey to activity_before_pkey;
alter index activity_by_account rename to activity_before_by_account;
alter index activity_open_by_account rename to activity_before_open_by_account;
create table activity (like activity_before including defaults including constraints including storage)
  partition by range (created_at);
alter table activity add primary key (id, created_at);
create index activity_by_account on activity (account_id, created_at desc, id desc);
create index activity_open_by_account on activity (account_id, created_at desc, id desc) where archived_at is null;
create trigger activity_is_immutable before update or delete on activity
  for each row execute function activity_is_immutable();
create table activity_other partition of activity default;

do $$
declare
  earliest constant date := month_of(
    greatest(now() - interval '5 years', coalesce((select min(created_at) from activity_before), now())));
  month date;
begin
  for month in select generate_series(month_of(now() - interval '31 days'), month_of(now()) + interval '2 months', '1 month') loop
    perform add_month('failed_requests', 'req', month);
  end loop;
  for month in select generate_series(earliest, month_of(now()) + interval '2 months', '1 month') loop
    perform add_month('activity', 'time', month);
  end loop;
  insert into failed_requests select * from failed_requests_before;
  insert into activity select * from activity_before;
  drop table failed_requests_before, activity_before;
end $$;

-- What the months of an account that are gone from the ledger add up to: all its rows up to `seq`. Balance = `micro` + the rows
-- behind. Nothing else is made of rows up to `seq` any more, neither lists nor sums of usage.
create table ledger_openings (
  account_id text primary key,
  seq bigint not null,
  micro bigint not null check (micro >= 0),
  -- Micro-credits by type of row.
  by_type jsonb not null
);

create function ledger_opening(of_account text) returns bigint
  language sql stable parallel safe
as $$ select coalesce((select seq from ledger_openings where account_id = of_account), 0) $$;

-- As in 0011_usage.sql, but for the beginning of a list: what its first chunk says was before it is gone.
create or replace function usage_before(of_account text, of_list uuid, place bigint)
returns table (rows bigint, active_us bigint, units bigint, micro bigint)
language sql stable
as $$
  with chunk as (
    select *, (select max(seq) from unnest(seqs) as seq) < place as is_whole
      from usage_lists where list = of_list and first_seq < place order by first_seq desc limit 1
  ), own as (
    select cardinality(chunk.seqs) as rows, chunk.active_us, chunk.units, chunk.micro from chunk where chunk.is_whole
    union all
    select count(*), coalesce(sum(round(row.active_ms * 1000)::bigint), 0), coalesce(sum(row.units), 0),
           coalesce(sum(row.micro), 0)
      from chunk cross join lateral unnest(chunk.seqs) as entry (seq)
     cross join lateral (select * from ledger where account_id = of_account and seq = entry.seq limit 1) row
     where entry.seq < place and not chunk.is_whole
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

create or replace function usage_bounds(of_account text, since timestamptz, until timestamptz)
returns table (mark bigint, out_until bigint, in_from bigint, in_until bigint, out_from bigint)
language sql stable
as $$
  with mark as (
    select coalesce(max(seq), 0) as seq, coalesce(max(disorder), '0') as disorder
      from usage_marks where account_id = of_account
  )
  select seq,
         greatest(ledger_opening(of_account), case when since is null then 0 else coalesce((
           select last_seq from usage_hours where account_id = of_account and hour <= since - disorder - interval '1 hour'
            order by hour desc limit 1), 0) end),
         case when since is null then 0 else coalesce((
           select first_seq from usage_hours where account_id = of_account and hour >= since + disorder
            order by hour limit 1), 9223372036854775807) end,
         case when until is null then 9223372036854775806 else coalesce((
           select last_seq from usage_hours where account_id = of_account and hour <= until - disorder - interval '1 hour'
            order by hour desc limit 1), 0) end,
         case when until is null then 9223372036854775807 else coalesce((
           select first_seq from usage_hours where account_id = of_account and hour >= until + disorder
            order by hour limit 1), 9223372036854775807) end
    from mark
$$;
