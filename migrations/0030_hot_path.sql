--! compatible
-- PostgreSQL reads and checks every constraint of a row with every update of it, and every charge updates an account: the
-- pattern of the slug alone, made anew each time, took an eighth of what a charge costs. What is no money is checked
-- where it is written. Further rules of this kind belong into this trigger, too.
create function accounts_is_well_formed() returns trigger language plpgsql as $$
declare
  broken constant text := case
    when new.slug !~ '^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$' then 'accounts_slug_check'
    when new.email <> lower(new.email) or char_length(new.email) > 254 then 'accounts_email_is_folded'
    when char_length(new.avatar_url) > 2048 then 'accounts_avatar_url_check'
    when char_length(new.locale) not between 1 and 35 then 'accounts_locale_check'
    when new.role not in ('user', 'admin') then 'accounts_role_check'
    when new.status not in ('active', 'suspended') then 'accounts_status_check'
  end;
begin
  if broken is null then
    return new;
  end if;
  raise exception 'new row for relation "accounts" violates check constraint "%"', broken
    using errcode = 'check_violation', constraint = broken, table = 'accounts';
end $$;
create trigger accounts_is_well_formed before insert or update of slug, email, avatar_url, locale, role, status
  on accounts for each row execute function accounts_is_well_formed();
alter table accounts
  drop constraint accounts_slug_check,
  drop constraint accounts_email_is_folded,
  drop constraint accounts_avatar_url_check,
  drop constraint accounts_locale_check,
  drop constraint accounts_role_check,
  drop constraint accounts_status_check;

-- Of two that charge the same, the second waits for the first and then fails, as before. A plain insert with its error
-- translated does half the work of `on conflict`, which looks a row up before it is written and confirms it afterwards.
create or replace function ledger_happens_once() returns trigger language plpgsql as $$
begin
  insert into ledger_once (request_id, type, seq, micro)
  select once_key(request_id, training_job_id, attempt), type, seq, micro from added
   where num_nonnulls(request_id, training_job_id) > 0;
  return null;
exception when unique_violation then
  raise exception 'this was charged before'
    using errcode = 'unique_violation', constraint = 'ledger_once_per_request', table = 'ledger';
end $$;
