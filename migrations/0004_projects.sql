--! compatible
create table projects (
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
  unique (account_id, slug),
  -- Embedding vectors are never stored.
  constraint projects_auto_save_is_text check (kind = 'text' or not inference_auto_save)
);
create index projects_open_by_account on projects (account_id, created_at desc, id desc) where archived_at is null;
create index projects_open_by_kind on projects (account_id, kind, created_at desc, id desc) where archived_at is null;
create index projects_archived_by_account on projects (account_id, created_at desc, id desc) where archived_at is not null;
