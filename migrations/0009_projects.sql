--! compatible
-- Lists of projects: by keyset, newest first, for each filter that a list has; and text that a search looks through,
-- folded by the program, as what `lower` does depends on the locale of the database.
alter table projects add column search_text text not null default '';
update projects set search_text = lower(slug || ' ' || name || ' ' || coalesce(description, ''));
create index projects_open_by_account on projects (account_id, created_at desc, id desc) where archived_at is null;
create index projects_open_by_kind on projects (account_id, kind, created_at desc, id desc) where archived_at is null;
create index projects_archived_by_account on projects (account_id, created_at desc, id desc)
  where archived_at is not null;

-- Open projects that an account may have; archived ones do not count.
alter table accounts add column max_projects integer not null default 1000 check (max_projects >= 0);
