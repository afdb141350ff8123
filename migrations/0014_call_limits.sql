--! compatible
-- Limits that an account sets for itself or for one of its keys; null is none. They stand in the rows that admission
-- reads anyway, so a call without limits pays nothing for them.
alter table api_keys
  add column requests_per_minute integer check (requests_per_minute between 1 and 1000000),
  add column concurrent_requests integer check (concurrent_requests between 1 and 10000),
  add column credits_per_day_micro bigint check (credits_per_day_micro >= 0);
alter table accounts
  add column requests_per_minute integer check (requests_per_minute between 1 and 1000000),
  add column concurrent_requests integer check (concurrent_requests between 1 and 10000),
  add column credits_per_day_micro bigint check (credits_per_day_micro >= 0);

-- What a limited key or account (`subject`) has used: requests of the minute that runs, credits charged this day (UTC).
create table limit_counters (
  subject text primary key,
  minute_started_at timestamptz not null,
  minute_requests integer not null default 0,
  day date not null,
  day_micro bigint not null default 0
) with (fillfactor = 50);

-- Limited calls in flight, one row per subject: they count as running while their process lives, and what they may
-- cost counts as spent until they are over.
create table limited_calls (
  subject text not null,
  request_id text not null,
  instance_id text not null,
  micro bigint not null check (micro >= 0),
  primary key (subject, request_id)
);
create index limited_calls_by_request on limited_calls (request_id);
create index limited_calls_by_instance on limited_calls (instance_id);

-- Lets calls in, in order, as far as all their limits allow it; a call that is refused counts nowhere. The counters are
-- locked in the order of their names before anything is looked at, so any number of processes decide as one. A loop and
-- not one statement: each look must see what the call before it took, and those that waited for the lock what others took.
-- `check_calls` says to which of the calls (from 1) a check belongs. `at` is the time for tests; null is now.
create function enter_limited_calls(
  request_ids text[], micros bigint[], check_calls integer[], subjects text[], per_minute integer[],
  concurrent integer[], per_day bigint[], instance text, at timestamptz)
returns table (
  call integer, subject text, refused_by text, requests integer, minute_seconds integer, running integer, spent bigint,
  day_seconds integer)
language plpgsql as $$
#variable_conflict use_column
declare
  moment timestamptz := coalesce(at, clock_timestamp());
  today date := (moment at time zone 'UTC')::date;
  tomorrow timestamptz := (today + 1)::timestamp at time zone 'UTC';
begin
  -- Another process may have begun a minute an instant after our own moment: only a whole minute away is another one.
  insert into limit_counters as c (subject, minute_started_at, day)
  select name, moment, today from (select distinct unnest(subjects) as name order by 1) named
      on conflict (subject) do update
     set minute_requests = case when abs(extract(epoch from moment - c.minute_started_at)) < 60
                                then c.minute_requests else 0 end,
         minute_started_at = case when abs(extract(epoch from moment - c.minute_started_at)) < 60
                                  then c.minute_started_at else moment end,
         day_micro = case when c.day = today then c.day_micro else 0 end,
         day = today;
  for i in 1 .. cardinality(request_ids) loop
    return query
      with asked as (
        select * from unnest(check_calls, subjects, per_minute, concurrent, per_day)
                   as asked (call, subject, per_minute, concurrent, per_day)
         where asked.call = i
      ), seen as (
        select asked.subject, c.minute_requests, c.minute_started_at, used.running, c.day_micro + used.reserved as spent,
               case when c.day_micro + used.reserved + micros[i] > asked.per_day then 'credits_per_day'
                    when c.minute_requests >= asked.per_minute then 'requests_per_minute'
                    when used.running >= asked.concurrent then 'concurrent_requests' end as refused_by
          from asked join limit_counters c on c.subject = asked.subject
         cross join lateral (
           select count(*) filter (where l.instance_id = instance
                    or exists (select from instances where instances.id = l.instance_id))::integer as running,
                  coalesce(sum(l.micro), 0)::bigint as reserved
             from limited_calls l where l.subject = asked.subject) used
      ), verdict as (
        select bool_and(seen.refused_by is null) as admitted from seen
      ), entered as (
        insert into limited_calls (subject, request_id, instance_id, micro)
        select seen.subject, request_ids[i], instance, micros[i] from seen, verdict where admitted
      ), counted as (
        update limit_counters set minute_requests = limit_counters.minute_requests + 1
          from seen, verdict where limit_counters.subject = seen.subject and admitted
      )
      select i, seen.subject, seen.refused_by, seen.minute_requests + admitted::integer,
             ceil(60 - extract(epoch from moment - seen.minute_started_at))::integer, seen.running + admitted::integer,
             seen.spent + case when admitted then micros[i] else 0 end,
             ceil(extract(epoch from tomorrow - moment))::integer
        from seen, verdict;
  end loop;
end $$;

-- Calls that are over: they no longer run, and what the ledger says they cost takes the place of what they might have.
create function leave_limited_calls(request_ids text[], at timestamptz) returns void
language plpgsql as $$
declare
  today date := (coalesce(at, clock_timestamp()) at time zone 'UTC')::date;
begin
  perform from limit_counters
    where subject in (select subject from limited_calls where request_id = any(request_ids))
    order by subject for no key update;
  with gone as (
    delete from limited_calls where request_id = any(request_ids) returning subject, request_id
  ), paid as (
    select gone.subject, sum(-ledger.micro)::bigint as micro
      from gone join ledger on ledger.type = 'inference' and ledger.request_id = gone.request_id
     group by gone.subject
  )
  update limit_counters
     set day_micro = case when day = today then day_micro else 0 end + paid.micro, day = today
    from paid where limit_counters.subject = paid.subject;
end $$;
