--! compatible
-- Hosted models: an alias of a project that points to a base model or a finished training job.
create table hosted_models (
  id text primary key,
  project_id text not null references projects (id),
  alias text not null check (alias ~ '^[a-z0-9][a-z0-9._-]{0,62}$'),
  display_name text not null,
  target_type text not null check (target_type in ('base_model', 'training_job')),
  target_id text not null,
  revision integer not null default 1,
  visibility text not null default 'private' check (visibility in ('private', 'shared', 'public')),
  active boolean not null default false,
  -- The rate is frozen when the alias is activated; callers pay this, whatever the catalogue says later.
  rate_micro_per_minute bigint not null check (rate_micro_per_minute >= 0),
  price_version text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (project_id, alias)
);
