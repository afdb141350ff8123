--! compatible
-- Running server processes. One that no longer renews `seen_at` is dead, and what its calls held is released.
create table instances (
  id text primary key,
  -- Where it runs, and what it does.
  host text,
  roles text,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);

-- One row for each call of a model, and for other paid work, from its beginning to its end. It holds the credits that the
-- work may cost, counts towards the limits of its key and account, and reserves an `Idempotency-Key`.
--
-- `accounts.held_micro` is the sum of `held_micro` here. A statement that changes either locks the account's row first;
-- several accounts are locked in the order of their ids.
create table calls (
  request_id text collate "C" primary key,
  -- Without a foreign key: each insert has locked the account's row, and rows of accounts stay.
  account_id text not null,
  -- The server that runs it; null: it belongs to a job, which ends it, whatever server dies.
  server_id text,
  operation text not null,
  project_id text,
  key_id text,
  model text,
  -- Counts towards the limits of its key and its account.
  is_limited boolean not null default false,
  -- The most that it may cost, reserved until it ends.
  held_micro bigint not null default 0 check (held_micro >= 0),
  idempotency_key text check (char_length(idempotency_key) between 1 and 128),
  -- SHA-256 of method, path and body: the same key with another request is a conflict.
  fingerprint bytea check (octet_length(fingerprint) = 32),
  -- The answer under the key; null while the call runs.
  status smallint,
  body bytea,
  -- The body holds a secret and is encrypted with a key derived from the caller's own credential.
  is_sealed boolean not null default false,
  created_at timestamptz not null default now(),
  constraint calls_key_is_whole check (num_nulls(idempotency_key, fingerprint) in (0, 2)),
  constraint calls_answer_is_whole check (num_nulls(status, body) in (0, 2) and (status is null or idempotency_key is not null))
);
create unique index calls_by_idempotency_key on calls (account_id, idempotency_key) where idempotency_key is not null;
create index calls_running on calls (server_id) where status is null;
create index calls_limited on calls (account_id) where is_limited and status is null;
create index calls_limited_by_key on calls (key_id) where is_limited and status is null;
create index calls_answered on calls (created_at) where status is not null;

-- What became of calls of models that have ended, charged or not; kept for 30 days. Written in the background, so a row may be
-- missing after a crash or in a flood; what a call cost is in the ledger. Ids begin with the time at which the call arrived.
create table request_log (
  id text collate "C" not null,
  account_id text not null,
  state text not null check (state in ('succeeded', 'failed', 'canceled', 'unknown')),
  operation text,
  project_id text,
  key_id text,
  key_name text,
  model text,
  http_status smallint,
  error_code text,
  error_message text,
  prompt_tokens integer,
  completion_tokens integer,
  -- From its arrival; null: the answer was not streamed.
  first_token_ms integer,
  -- From its arrival; null: nobody knows.
  total_ms integer,
  active_ms double precision not null default 0,
  micro bigint not null default 0,
  finished_at timestamptz not null,
  primary key (account_id, id)
) partition by range (id);
-- Lists and counts the calls of an account that did not succeed: of millions of calls they may be a few.
create index request_log_not_succeeded on request_log (account_id, id, state) where state <> 'succeeded';

create table request_log_other partition of request_log default;
select add_month('request_log', 'req', (month_of(now()) + make_interval(months => ahead))::date)
  from generate_series(0, 2) as ahead;

-- Tokens of the calls in `request_log`, by the hour in which they arrived.
create table token_hours (
  account_id text not null,
  hour timestamptz not null,
  prompt_tokens bigint not null,
  completion_tokens bigint not null,
  primary key (account_id, hour)
) partition by range (hour);
create table token_hours_other partition of token_hours default;
select add_month('token_hours', 'time', (month_of(now()) + make_interval(months => ahead))::date)
  from generate_series(0, 2) as ahead;

-- Removes calls that have not ended, releases their credits and frees their keys. `lock_ms` is the longest wait for a locked
-- account (55P03 then); 0: such accounts are skipped; null: as long as the transaction waits. Returns the removed calls.
create function void_calls(ids text[], lock_ms integer) returns setof calls language plpgsql as $$
declare
  account text;
  removed calls[];
begin
  if lock_ms > 0 then
    perform set_config('lock_timeout', lock_ms::text, true);
  end if;
  for account in
    select distinct account_id collate "C" from calls where request_id = any(ids) and status is null order by 1
  loop
    if lock_ms = 0 then
      perform from accounts where id = account for no key update skip locked;
      continue when not found;
    else
      perform from accounts where id = account for no key update;
    end if;
    with gone as (
      delete from calls where request_id = any(ids) and account_id = account and status is null returning calls
    )
    select array_agg(gone.calls) into removed from gone;
    continue when removed is null;
    update accounts set held_micro = held_micro - (select sum(held_micro) from unnest(removed))
     where id = account and exists (select from unnest(removed) where held_micro > 0);
    return query select * from unnest(removed);
  end loop;
end $$;

-- Locks accounts in the order of their ids; those in `skipped` only where nobody else has locked them.
create function lock_accounts(ids text[], skipped text[])
returns table (id text, balance_micro bigint, held_micro bigint) language plpgsql as $$
#variable_conflict use_column
begin
  return query select a.id, a.balance_micro, a.held_micro from accounts a
    where a.id = any(ids) and a.id <> all(skipped) order by a.id collate "C" for no key update;
  if cardinality(skipped) > 0 then
    return query select a.id, a.balance_micro, a.held_micro from accounts a
      where a.id = any(ids) and a.id = any(skipped) for no key update skip locked;
  end if;
end $$;

create type call_request as (
  account_id text, request_id text, operation text, project_id text, key_id text, model text, held_micro bigint,
  limits json, idempotency_key text, fingerprint text);

-- Begins calls: reserves their keys, counts them against the limits, holds their credits. `list` has the fields of
-- `call_request`; `limits` is a list of {subject, scope, per_minute, concurrent, per_day} or null, `fingerprint` is
-- hexadecimal. Calls of one account begin in order. Accounts in `skipped` are not waited for while they are locked.
-- `lock_ms` is the longest wait for the others (55P03 then); null: as long as the transaction waits. `at` is the time for
-- tests.
--
-- Outcomes: `begun`; `limited` (`usage` says by what); `insufficient` (`available_micro` is what there is); `conflict`: the
-- key belongs to another request; `running`: the same request runs as `other_request_id`; `answered`: its answer is
-- returned; `locked`: the account is locked and nothing was done.
create function begin_calls(list json, skipped text[], server text, lock_ms integer, at timestamptz)
returns table (
  request_id text, outcome text, available_micro bigint, usage json, other_request_id text, other_server_id text,
  status smallint, body bytea, is_sealed boolean)
language plpgsql as $$
#variable_conflict use_column
declare
  requests constant call_request[] := array(select r from json_populate_recordset(null::call_request, list) r);
  call_time constant timestamptz := coalesce(at, clock_timestamp());
  today constant date := (call_time at time zone 'UTC')::date;
  tomorrow constant timestamptz := (today + 1)::timestamp at time zone 'UTC';
  ids text[];
  free_micros bigint[];
  begun text[];
  account record;
  request record;
  other calls;
  free bigint;
  added bigint;
  used json;
  is_refused boolean;
begin
  if lock_ms is not null then
    perform set_config('lock_timeout', lock_ms::text, true);
  end if;
  select coalesce(array_agg(id), '{}'), array_agg(balance_micro - held_micro) into ids, free_micros
    from lock_accounts(array(select account_id from unnest(requests)), skipped);

  -- At once, where calls have neither limits nor keys and the account has enough for all of them.
  with requested as (
    select r.*, a.free, sum(r.held_micro) over of_account as total,
           bool_and(r.limits is null and r.idempotency_key is null) over of_account as is_plain
      from unnest(requests) r join unnest(ids, free_micros) as a (id, free) on a.id = r.account_id
    window of_account as (partition by r.account_id)
  ), inserted as (
    insert into calls (request_id, account_id, server_id, operation, project_id, key_id, model, held_micro)
    select request_id, account_id, server, operation, project_id, key_id, model, held_micro
      from requested where is_plain and total <= free
    returning request_id, account_id, held_micro
  ), held as (
    update accounts set held_micro = accounts.held_micro + total.held_micro
      from (select account_id, sum(held_micro) as held_micro from inserted group by account_id) total
     where accounts.id = total.account_id and total.held_micro > 0
  )
  select coalesce(array_agg(request_id), '{}') into begun from inserted;
  return query select id, 'begun', null::bigint, null::json, null, null, null::smallint, null::bytea, null::boolean from unnest(begun) id;
  if cardinality(begun) = cardinality(requests) then
    return;
  end if;

  -- Then one after the other: each sees what the one before left.
  return query select r.request_id, 'locked', null::bigint, null::json, null, null, null::smallint, null::bytea, null::boolean
    from unnest(requests) r where r.account_id <> all(ids);
  for account in select * from unnest(ids, free_micros) as a (account_id, free)
  loop
    free := account.free;
    added := 0;
    for request in
      select * from unnest(requests) r where r.account_id = account.account_id and r.request_id <> all(begun)
    loop
      if request.idempotency_key is not null then
        select * into other from calls
         where account_id = account.account_id and idempotency_key = request.idempotency_key;
        -- A key is valid for a day, and the key of a call whose server is dead passes to the next call.
        if found and (other.created_at < now() - interval '24 hours' or (
             other.status is null and other.fingerprint = decode(request.fingerprint, 'hex') and other.server_id <> server
             and not exists (select from instances where id = other.server_id))) then
          delete from calls where request_id = other.request_id;
          free := free + other.held_micro;
          added := added - other.held_micro;
        elsif found then
          return query select request.request_id,
            case when other.fingerprint <> decode(request.fingerprint, 'hex') then 'conflict'
                 when other.status is null then 'running' else 'answered' end,
            null::bigint, null::json, other.request_id, other.server_id, other.status, other.body, other.is_sealed;
          continue;
        end if;
      end if;

      used := null;
      if request.limits is not null then
        -- Another server may have begun a minute slightly after our time: only a start a whole minute away is another minute.
        insert into limit_counters as c (subject, minute_started_at, day)
        select l.subject, call_time, today from json_to_recordset(request.limits) as l (subject text)
            on conflict (subject) do update
           set minute_requests = case when abs(extract(epoch from call_time - c.minute_started_at)) < 60
                                      then c.minute_requests else 0 end,
               minute_started_at = case when abs(extract(epoch from call_time - c.minute_started_at)) < 60
                                        then c.minute_started_at else call_time end,
               day_micro = case when c.day = today then c.day_micro else 0 end,
               day = today;
        with checked as (
          select l.subject, c.minute_requests as requests,
                 ceil(60 - extract(epoch from call_time - c.minute_started_at))::integer as "minuteSeconds", running.calls as running,
                 (c.day_micro + running.held)::text as spent, ceil(extract(epoch from tomorrow - call_time))::integer as "daySeconds",
                 case when c.day_micro + running.held + request.held_micro > l.per_day then 'credits_per_day'
                      when c.minute_requests >= l.per_minute then 'requests_per_minute'
                      when running.calls >= l.concurrent then 'concurrent_requests' end as "refusedBy"
            from json_to_recordset(request.limits) as l (
                   subject text, scope text, per_minute integer, concurrent integer, per_day bigint)
            join limit_counters c on c.subject = l.subject
           cross join lateral (
             select count(*)::integer as calls, coalesce(sum(r.held_micro), 0)::bigint as held from calls r
              where r.account_id = account.account_id and r.is_limited and r.status is null
                and (l.scope = 'account' or r.key_id = l.subject)) running
        )
        select json_agg(checked), bool_or(checked."refusedBy" is not null) into used, is_refused from checked;
        if is_refused then
          return query select request.request_id, 'limited', null::bigint, used, null, null, null::smallint, null::bytea, null::boolean;
          continue;
        end if;
        update limit_counters set minute_requests = minute_requests + 1
         where subject in (select l.subject from json_to_recordset(request.limits) as l (subject text));
      end if;

      if request.held_micro > free then
        return query select request.request_id, 'insufficient', free, used, null, null, null::smallint, null::bytea, null::boolean;
        continue;
      end if;
      insert into calls (request_id, account_id, server_id, operation, project_id, key_id, model, is_limited, held_micro,
                         idempotency_key, fingerprint)
      values (request.request_id, account.account_id, server, request.operation, request.project_id, request.key_id, request.model,
              request.limits is not null, request.held_micro, request.idempotency_key, decode(request.fingerprint, 'hex'));
      free := free - request.held_micro;
      added := added + request.held_micro;
      return query select request.request_id, 'begun', free, used, null, null, null::smallint, null::bytea, null::boolean;
    end loop;
    if added <> 0 then
      update accounts set held_micro = held_micro + added where id = account.account_id;
    end if;
  end loop;
end $$;

create type call_charge as (
  n integer, account_id text, call_id text, request_id text, type text, cost_micro bigint, has_key boolean, body text, is_limited boolean,
  ledger_id text, project_id text, model_requested text, model_served text, model_revision integer, training_job_id text,
  attempt integer, key_id text, key_name text, active_ms float8, units bigint, rate_micro_per_minute bigint, price_version text,
  held_micro bigint, prompt_tokens integer, completion_tokens integer, outcome text, operation text, note text);

-- Ends calls: writes their charges to the ledger, takes the credits, releases what was held, and stores answers under their
-- keys, all or nothing. `list` has the fields of `call_charge`, each call once and in the order `n`; `cost_micro` is the
-- cost of the work, which never exceeds what was held for it. `call_id` is the row in `calls`; `request_id` names the charge
-- in the ledger. `has_key` says that the call has an `Idempotency-Key`, under which `body` is stored. `skipped` and
-- `lock_ms` as above.
--
-- Outcomes: `charged`, now or by an earlier attempt; `lost`: the key was given to another request, and nothing was charged;
-- `locked`. A call whose row was removed, because its server was taken for dead, pays from what no other call holds.
create function end_calls(list json, skipped text[], lock_ms integer, at timestamptz)
returns table (call_id text, outcome text, charged_micro bigint)
language plpgsql as $$
#variable_conflict use_column
declare
  charges constant call_charge[] := array(select c from json_populate_recordset(null::call_charge, list) c);
  today constant date := (coalesce(at, clock_timestamp()) at time zone 'UTC')::date;
  ids text[];
  balances bigint[];
  ended_ids text[];
  held_micros bigint[];
  charge record;
  charged bigint;
  posted_ids text[];
  posted_micros bigint[];
  posted_balances bigint[];
begin
  if lock_ms is not null then
    perform set_config('lock_timeout', lock_ms::text, true);
  end if;
  select coalesce(array_agg(id), '{}'), array_agg(balance_micro) into ids, balances
    from lock_accounts(array(select account_id from unnest(charges)), skipped);

  -- First the calls that still hold credits: what they do not use is there for the others.
  with ended as (
    delete from calls where request_id = any(array(select call_id from unnest(charges) c where c.account_id = any(ids)))
       and status is null and idempotency_key is null
    returning request_id, held_micro
  )
  select array_agg(request_id), array_agg(held_micro) into ended_ids, held_micros from ended;
  if exists (select from unnest(charges) c where c.has_key) then
    with answered as (
      update calls set held_micro = 0, status = 200, body = convert_to(c.body, 'UTF8')
        from unnest(charges) c join calls before on before.request_id = c.call_id and before.status is null
       where calls.request_id = c.call_id and c.has_key and c.account_id = any(ids)
      returning calls.request_id, before.held_micro
    )
    select ended_ids || array_agg(request_id), held_micros || array_agg(held_micro) into ended_ids, held_micros from answered;
  end if;
  with posted as (
    select c.n, c.account_id, c.call_id, a.balance_micro, e.held_micro, least(c.cost_micro, e.held_micro) as micro,
           sum(least(c.cost_micro, e.held_micro)) over (partition by c.account_id order by c.n) as total
      from unnest(ended_ids, held_micros) as e (call_id, held_micro)
      join unnest(charges) c on c.call_id = e.call_id
      join unnest(ids, balances) as a (id, balance_micro) on a.id = c.account_id
  ), paid as (
    update accounts set balance_micro = accounts.balance_micro - total.micro, held_micro = accounts.held_micro - total.held_micro
      from (select account_id, sum(micro) as micro, sum(held_micro) as held_micro from posted group by account_id) total
     where accounts.id = total.account_id and (total.micro > 0 or total.held_micro > 0)
  )
  select coalesce(array_agg(call_id order by n), '{}'), array_agg(micro order by n), array_agg(balance_micro - total order by n)
    into posted_ids, posted_micros, posted_balances from posted;

  if cardinality(posted_ids) < cardinality(charges) then
    return query select c.call_id, 'locked', null::bigint from unnest(charges) c where c.account_id <> all(ids);
    for charge in
      select * from unnest(charges) c where c.account_id = any(ids) and c.call_id <> all(posted_ids)
    loop
      select -once.micro into charged from ledger_once once
       where once.type = charge.type and once.request_id = once_key(charge.request_id, charge.training_job_id, charge.attempt);
      if found then
        return query select charge.call_id, 'charged', charged;
        continue;
      end if;
      if charge.has_key then
        return query select charge.call_id, 'lost', null::bigint;
        continue;
      end if;
      select least(charge.cost_micro, greatest(balance_micro - held_micro, 0)) into charged from accounts
       where id = charge.account_id;
      update accounts set balance_micro = balance_micro - charged where id = charge.account_id
        returning posted_balances || balance_micro into posted_balances;
      posted_ids := posted_ids || charge.call_id;
      posted_micros := posted_micros || charged;
    end loop;
  end if;

  insert into ledger (
    id, account_id, type, micro, balance_after_micro, project_id, model_requested, model_served, model_revision, request_id,
    training_job_id, attempt, key_id, key_name, active_ms, units, rate_micro_per_minute, price_version, held_micro,
    prompt_tokens, completion_tokens, outcome, operation, note)
  select c.ledger_id, c.account_id, c.type, -posted.micro, posted.balance, c.project_id, c.model_requested, c.model_served,
         c.model_revision, c.request_id, c.training_job_id, c.attempt, c.key_id, c.key_name, c.active_ms, c.units,
         c.rate_micro_per_minute, c.price_version,
         -- A call whose row was removed could pay no more than it did.
         case when posted.micro < c.cost_micro then posted.micro else c.held_micro end,
         c.prompt_tokens, c.completion_tokens, c.outcome, c.operation, c.note
    from unnest(posted_ids, posted_micros, posted_balances) with ordinality as posted (call_id, micro, balance, n)
    join unnest(charges) c on c.call_id = posted.call_id
   order by posted.n;
  if exists (select from unnest(charges) c where c.is_limited) then
    update limit_counters set day_micro = case when day = today then day_micro else 0 end + spent.micro, day = today
      from (select subject, sum(posted.micro) as micro
              from unnest(posted_ids, posted_micros) as posted (call_id, micro)
              join unnest(charges) c on c.call_id = posted.call_id and c.is_limited
             cross join lateral (values (c.account_id), (c.key_id)) as s (subject)
             group by subject) spent
     where limit_counters.subject = spent.subject;
  end if;
  return query select posted.call_id, 'charged', posted.micro from unnest(posted_ids, posted_micros) as posted (call_id, micro);
end $$;

-- Removes the calls of dead servers and releases their credits; what became of calls of models is unknown. Calls of locked
-- accounts are left for the next time.
create function reap_calls(dead text[]) returns integer language plpgsql as $$
declare
  reaped integer;
begin
  with voided as (
    select v.* from void_calls(array(select request_id from calls where server_id = any(dead) and status is null), 0) v
  ), noted as (
    insert into request_log (id, account_id, state, operation, project_id, key_id, model, finished_at)
    select request_id, account_id, 'unknown', operation, project_id, key_id, model, now() from voided where project_id is not null
        on conflict (account_id, id) do nothing
  )
  select count(*) into reaped from voided;
  return reaped;
end $$;
