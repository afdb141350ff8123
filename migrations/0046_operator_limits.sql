--! compatible
-- Limits that the operator sets for an account, beside those that it sets for itself: of two, the lower one holds.
alter table accounts
  add column operator_requests_per_minute integer,
  add column operator_concurrent_requests integer,
  add column operator_credits_per_day_micro bigint;

-- As in 0039_short_statements.sql, with the limits of the operator.
create or replace function accounts_is_well_formed() returns trigger language plpgsql as $$
declare
  broken constant text := case
    when new.slug !~ '^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$' then 'accounts_slug_check'
    when new.email <> lower(new.email) or char_length(new.email) > 254 then 'accounts_email_is_folded'
    when char_length(new.avatar_url) > 2048 then 'accounts_avatar_url_check'
    when char_length(new.locale) not between 1 and 35 then 'accounts_locale_check'
    when new.role not in ('user', 'admin') then 'accounts_role_check'
    when new.status not in ('active', 'suspended') then 'accounts_status_check'
    when new.requests_per_minute not between 1 and 1000000
      or new.operator_requests_per_minute not between 1 and 1000000 then 'accounts_requests_per_minute_check'
    when new.concurrent_requests not between 1 and 10000
      or new.operator_concurrent_requests not between 1 and 10000 then 'accounts_concurrent_requests_check'
    when new.credits_per_day_micro < 0
      or new.operator_credits_per_day_micro < 0 then 'accounts_credits_per_day_micro_check'
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
    credits_per_day_micro, operator_requests_per_minute, operator_concurrent_requests, operator_credits_per_day_micro,
    max_active_keys, max_projects
  on accounts for each row execute function accounts_is_well_formed();
