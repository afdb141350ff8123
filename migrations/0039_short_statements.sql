--! compatible
-- The text of a constraint is read anew by each statement that writes to its table, and each charge wrote to two: eight
-- constraints of a month of the ledger and five of accounts that are no money took a quarter of what a lone charge costs in
-- PostgreSQL. What a trigger says stays compiled. The names and what breaking them gives stay as they were, so that a server of
-- the version before sees no difference.

-- As in 0030_hot_path.sql, with the limits of an account.
create or replace function accounts_is_well_formed() returns trigger language plpgsql as $$
declare
  broken constant text := case
    when new.slug !~ '^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$' then 'accounts_slug_check'
    when new.email <> lower(new.email) or char_length(new.email) > 254 then 'accounts_email_is_folded'
    when char_length(new.avatar_url) > 2048 then 'accounts_avatar_url_check'
    when char_length(new.locale) not between 1 and 35 then 'accounts_locale_check'
    when new.role not in ('user', 'admin') then 'accounts_role_check'
    when new.status not in ('active', 'suspended') then 'accounts_status_check'
    when new.requests_per_minute not between 1 and 1000000 then 'accounts_requests_per_minute_check'
    when new.concurrent_requests not between 1 and 10000 then 'accounts_concurrent_requests_check'
    when new.credits_per_day_micro < 0 then 'accounts_credits_per_day_micro_check'
    when new.max_active_keys < 0 then 'accounts_max_active_keys_check'
    when new.max_projects < 0 then 'accounts_max_projects_check'
  end;
begin
  if broken is null then
    return new;
  end if;
  raise exception 'new row for relation "accounts" violates check constraint "%"', broken
    using errcode = 'check_violation', constraint = broken, table = 'accounts';
end $$;
drop trigger accounts_is_well_formed on accounts;
create trigger accounts_is_well_formed
  before insert or update of slug, email, avatar_url, locale, role, status, requests_per_minute, concurrent_requests,
    credits_per_day_micro, max_active_keys, max_projects
  on accounts for each row execute function accounts_is_well_formed();
alter table accounts
  drop constraint accounts_requests_per_minute_check,
  drop constraint accounts_concurrent_requests_check,
  drop constraint accounts_credits_per_day_micro_check,
  drop constraint accounts_max_active_keys_check,
  drop constraint accounts_max_projects_check;

-- Of the same value as before, but with nothing in it that keeps PostgreSQL from putting it in the place of its call.
create or replace function once_key(request_id text, training_job_id text, attempt integer) returns text
  language sql immutable parallel safe
  return coalesce(training_job_id || '/' || attempt::text, request_id);

-- Without a name it is not called: nothing is broken.
create function ledger_refuses(broken text) returns boolean language plpgsql strict as $$
begin
  raise exception 'new row for relation "ledger" violates check constraint "%"', broken
    using errcode = 'check_violation', constraint = broken, table = 'ledger';
end $$;

-- What makes a charge happen once, as in 0030_hot_path.sql, sees every row that is written to the ledger, and looks now whether
-- each of them keeps the rules, in the same statement.
create or replace function ledger_happens_once() returns trigger language plpgsql as $$
begin
  insert into ledger_once (request_id, type, seq, micro)
  select once_key(request_id, training_job_id, attempt), type, seq, micro from added
   where coalesce(ledger_refuses(case
     when balance_after_micro < 0 then 'ledger_balance_after_micro_check'
     when held_micro < 0 then 'ledger_held_micro_check'
     when active_ms < 0 then 'ledger_active_ms_check'
     when outcome not in ('succeeded', 'client_disconnected', 'canceled') then 'ledger_outcome_check'
     -- What is needed to check the charge.
     when type in ('inference', 'index') then case
       when micro > 0 or num_nulls(request_id, active_ms, units, rate_micro_per_minute, held_micro, outcome) > 0
       then 'ledger_' || type || '_is_complete' end
     when type = 'training' then case
       when micro > 0 or num_nulls(training_job_id, attempt, active_ms, units, rate_micro_per_minute, held_micro) > 0
       then 'ledger_training_is_complete' end
     when type not in ('grant', 'purchase', 'refund', 'adjustment') then 'ledger_type_check'
   end), num_nonnulls(request_id, training_job_id) > 0);
  return null;
exception when unique_violation then
  raise exception 'this was charged before'
    using errcode = 'unique_violation', constraint = 'ledger_once_per_request', table = 'ledger';
end $$;
alter table ledger
  drop constraint ledger_type_check,
  drop constraint ledger_balance_after_micro_check,
  drop constraint ledger_active_ms_check,
  drop constraint ledger_held_micro_check,
  drop constraint ledger_outcome_check,
  drop constraint ledger_inference_is_complete,
  drop constraint ledger_index_is_complete,
  drop constraint ledger_training_is_complete;
