--! compatible
-- What each account has stored: files of imports, contents of examples, adapters. Beside the limit, which the operator may set: a
-- row of its own, so that who stores much holds up no charge of the account.
alter table accounts add column max_storage_bytes bigint;

create table account_storage (
  account_id text primary key references accounts (id),
  bytes bigint not null check (bytes >= 0)
);

-- What an import keeps: from the announcement on the whole file, and once it is over what has arrived, until that is removed.
create function import_storage(i imports) returns bigint language sql immutable parallel safe
return case when i.files_removed_at is not null then 0 when i.finished_at is not null then i.received_bytes else i.size_bytes end;

-- The adapter that serves, and the archive to download.
create function job_storage(j training_jobs) returns bigint language sql immutable parallel safe
return coalesce(j.archive_bytes, 0) + coalesce((j.result -> 'adapter' ->> 'sizeBytes')::bigint, 0);

create function change_storage(account text, change bigint) returns void language sql
begin atomic
  insert into account_storage as s (account_id, bytes) values (account, greatest(change, 0))
      on conflict (account_id) do update set bytes = greatest(s.bytes + change, 0);
end;

-- What an import takes is asked for before it begins (src/limits/storage.store.ts); what it gives back is noted wherever it ends.
create function imports_give_back() returns trigger language plpgsql as $$
begin
  perform change_storage(p.account_id, import_storage(new) - import_storage(old)) from projects p where p.id = new.project_id;
  return null;
end $$;
create trigger imports_give_back after update of finished_at, files_removed_at on imports
  for each row when (old.finished_at is distinct from new.finished_at or old.files_removed_at is distinct from new.files_removed_at)
  execute function imports_give_back();

-- What was trained is kept, also where the account has no room left: its training is paid for.
create function training_jobs_take_storage() returns trigger language plpgsql as $$
begin
  perform change_storage(new.account_id, job_storage(new) - job_storage(old));
  return null;
end $$;
create trigger training_jobs_take_storage after update of archive_bytes on training_jobs
  for each row when (old.archive_bytes is distinct from new.archive_bytes)
  execute function training_jobs_take_storage();

insert into account_storage (account_id, bytes)
select account_id, sum(bytes) from (
  select p.account_id, import_storage(i) as bytes from imports i join projects p on p.id = i.project_id
  union all
  select p.account_id, c.bytes from example_counts c join datasets d on d.id = c.dataset_id join projects p on p.id = d.project_id
  union all
  select j.account_id, job_storage(j) from training_jobs j
) stored group by account_id;
