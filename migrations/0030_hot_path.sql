--! compatible
-- PostgreSQL checks every constraint of a row with every update, and the pattern of the slug, made anew each time, took an
-- eighth of what a charge costs. A slug is checked where it is written.
create function accounts_slug_is_well_formed() returns trigger language plpgsql as $$
begin
  raise exception 'new row for relation "accounts" violates check constraint "accounts_slug_check"'
    using errcode = 'check_violation', constraint = 'accounts_slug_check', table = 'accounts';
end $$;
create trigger accounts_slug_is_well_formed before insert or update of slug on accounts
  for each row when (new.slug !~ '^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$') execute function accounts_slug_is_well_formed();
alter table accounts drop constraint accounts_slug_check;

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
