--! compatible
-- All projects, also those that were deleted and of which something is still stored. Everything but the deletion reads and
-- changes the view `projects`, in which those are not, so a deleted project is gone for all of it at once. Whatever is stored
-- in a project has a foreign key to this table: the row goes last.
create table all_projects (
  id text primary key,
  account_id text not null references accounts (id),
  slug text not null check (slug ~ '^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$'),
  name text not null check (char_length(name) between 1 and 80),
  description text check (char_length(description) <= 500),
  kind text not null check (kind in ('text', 'embedding')),
  visibility text not null default 'private' check (visibility in ('private', 'public')),
  inference_auto_save boolean not null default false,
  -- Slug, name and description for searches, folded by the program: `lower` depends on the locale of the database.
  search_text text not null,
  archived_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  -- When a server may take up the removal of what is stored in it: calls that were in flight have ended by then, and another
  -- server that worked on it is dead.
  removal_due_at timestamptz,
  constraint projects_removal_is_of_deleted check ((deleted_at is null) = (removal_due_at is null)),
  -- Embedding vectors are never stored.
  constraint projects_auto_save_is_text check (kind = 'text' or not inference_auto_save)
);
-- The address of a deleted project is free.
create unique index projects_account_id_slug_key on all_projects (account_id, slug) where deleted_at is null;
create index projects_to_remove on all_projects (removal_due_at) where removal_due_at is not null;
create index projects_open_by_account on all_projects (account_id, created_at desc, id desc)
  where archived_at is null and deleted_at is null;
create index projects_open_by_kind on all_projects (account_id, kind, created_at desc, id desc)
  where archived_at is null and deleted_at is null;
create index projects_archived_by_account on all_projects (account_id, created_at desc, id desc)
  where archived_at is not null and deleted_at is null;

create view projects as
  select id, account_id, slug, name, description, kind, visibility, inference_auto_save, search_text, archived_at, created_at,
         updated_at
    from all_projects where deleted_at is null;

-- What is left of a deleted project: its address, which the rows of the ledger and of the request log are shown with.
create table gone_projects (
  id text primary key,
  account_id text not null references accounts (id),
  slug text not null,
  gone_at timestamptz not null default now()
);
create index gone_projects_by_account on gone_projects (account_id);

create view project_addresses as
  select id, account_id, slug from all_projects
   union all
  select id, account_id, slug from gone_projects;
