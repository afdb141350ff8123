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
  archived_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (account_id, slug),
  -- Embedding vectors are never stored (interface 1.7).
  constraint projects_auto_save_is_text check (kind = 'text' or not inference_auto_save)
);
