--! compatible
-- Time as the account's ledger goes, not as transactions began: rows of one account are in order of time, too, unless
-- the clock of the database is set back.
alter table ledger alter column created_at set default clock_timestamp();

-- What a training charge needs, and what makes it happen once per attempt.
alter table ledger add column training_job_id text, add column attempt integer;
create unique index ledger_once_per_attempt on ledger (type, training_job_id, attempt) where training_job_id is not null;

-- Finds the few rows among calls without number that are none. It costs a call nothing.
create index ledger_other_than_calls on ledger (account_id, seq) where type <> 'inference';

-- Sums of the calls in the ledger, made in the background so that a call does not pay for them. How far an account is
-- summed up: all its rows up to `seq`, none behind. Its rows become visible in the order of `seq` (see 0005_billing.sql),
-- so nothing can appear before the mark later on. Readers add the rows behind the mark themselves, in the same snapshot.
-- Rows that are no calls are few, and always read as they are.
create table usage_marks (
  account_id text primary key,
  seq bigint not null default 0,
  -- The balance at `seq` is below the operator's threshold. An account that never had more has nothing to be told.
  is_low boolean not null default true,
  -- The latest `created_at` up to `seq`, and how far a row lay behind the latest one before it at most: 0 unless the
  -- clock was set back. It bounds where in the order of `seq` the rows of a span of time can be.
  latest_at timestamptz,
  disorder interval not null default '0',
  -- All calls up to `seq`.
  rows bigint not null default 0,
  active_us bigint not null default 0,
  units bigint not null default 0,
  micro bigint not null default 0
) with (fillfactor = 50);

-- The calls of an account in an hour, and where in the ledger they begin and end; others lie between.
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

-- The calls of an account on a day (UTC), together and by what they were made with. Calls without a key have the key ''.
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

-- For each key, project and model and for each combination of them, a list of its calls: where in the ledger they are,
-- in chunks of about 200, and what they and all chunks before add up to. So any filter has its list, which gives a page
-- or a total at the cost of one chunk, however long it is. Indexes on the ledger could do half of this, and each would
-- cost a call 6 µs.
create table usage_lists (
  list uuid not null,
  first_seq bigint not null,
  -- In no order.
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

-- The list of the calls with this key, project and model; null is any.
create function usage_list(account text, key text, project text, model text) returns uuid
language sql stable parallel safe
as $$ select md5(jsonb_build_array(account, key, project, model)::text)::uuid $$;

-- Sums of the calls of a list that lie before a place in the ledger. `limit 1`, here and below, keeps looking a row up one
-- probe of its index, whatever the statistics say.
create function usage_before(of_account text, of_list uuid, place bigint)
returns table (rows bigint, active_us bigint, units bigint, micro bigint)
language sql stable
as $$
  select coalesce(sum(rows_before + own.rows), 0)::bigint, coalesce(sum(active_us_before + own.active_us), 0)::bigint,
         coalesce(sum(units_before + own.units), 0)::bigint, coalesce(sum(micro_before + own.micro), 0)::bigint
    from (select *, (select max(seq) from unnest(seqs) as seq) < place as is_whole
            from usage_lists where list = of_list and first_seq < place order by first_seq desc limit 1) chunk
   cross join lateral (
     select cardinality(chunk.seqs) as rows, chunk.active_us, chunk.units, chunk.micro where chunk.is_whole
     union all
     select count(*), coalesce(sum(round(row.active_ms * 1000)::bigint), 0), coalesce(sum(row.units), 0),
            coalesce(sum(row.micro), 0)
       from unnest(chunk.seqs) as entry (seq)
      cross join lateral (select * from ledger where account_id = of_account and seq = entry.seq limit 1) row
      where entry.seq < place and not chunk.is_whole
     having not chunk.is_whole) own
$$;

-- Where in an account's ledger the rows of a span of time are. `seq <= out_until`: certainly before `since`;
-- `seq >= in_from`: certainly not before it. `seq <= in_until`: certainly before `until`; `seq >= out_from`: certainly not.
-- No row lies further behind an earlier one, in time, than the mark's `disorder`: so once a row is that much later
-- than a moment, all that follow it are later, and before one that is that much earlier, all are earlier. Only for rows up
-- to the mark.
create function usage_bounds(of_account text, since timestamptz, until timestamptz)
returns table (mark bigint, out_until bigint, in_from bigint, in_until bigint, out_from bigint)
language sql stable
as $$
  with mark as (
    select coalesce(max(seq), 0) as seq, coalesce(max(disorder), '0') as disorder
      from usage_marks where account_id = of_account
  )
  select seq,
         case when since is null then 0 else coalesce((
           select last_seq from usage_hours where account_id = of_account and hour <= since - disorder - interval '1 hour'
            order by hour desc limit 1), 0) end,
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

-- Sums of the calls with this key, project and model (null is any, but not all three) in a span of time (null has no
-- bound): from the list what is certainly in it, one by one what lies at its ends and behind the mark.
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
    ), looked as (
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
      select count(*), sum(round(looked.active_ms * 1000)::bigint), sum(looked.units), sum(looked.micro) from looked
       where (since is null or created_at >= since) and (until is null or created_at < until)
    )
    select coalesce(sum(part.rows), 0)::bigint, coalesce(sum(part.active_us), 0)::bigint,
           coalesce(sum(part.units), 0)::bigint, coalesce(sum(part.micro), 0)::bigint
      from part;
end $$;
