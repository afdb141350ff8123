--! compatible
-- Hosted models: an alias in a project that points to a base model or a finished training job.
create table hosted_models (
  id text primary key,
  project_id text not null references all_projects (id),
  -- May be a name that agents ask for, such as `org/model:tag`.
  alias text not null check (char_length(alias) <= 63 and alias ~ '^[a-z0-9][a-z0-9._-]*([/:][a-z0-9][a-z0-9._-]*)*$'),
  display_name text not null,
  -- Alias and display name for searches, folded by the program.
  search_text text not null,
  target_type text not null check (target_type in ('base_model', 'training_job')),
  target_id text not null,
  -- The base model behind the target.
  base_model_id text not null,
  revision integer not null default 1,
  -- Digest of the file that the last load check found; null until then.
  revision_sha256 text,
  visibility text not null default 'private' check (visibility in ('private', 'shared', 'public')),
  state text not null default 'inactive' check (state in ('inactive', 'warming', 'active', 'failed')),
  -- The running activation and who requested it, so that the end of an earlier one is not taken for its end.
  activation jsonb,
  -- `code` and `message` of a load check that failed.
  error jsonb,
  -- What callers pay until the next activation, whatever the catalogue says.
  rate_micro_per_minute bigint not null check (rate_micro_per_minute >= 0),
  price_version text not null,
  rate_frozen_at timestamptz not null default now(),
  last_called_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (project_id, alias),
  constraint hosted_models_in_project unique (id, project_id),
  constraint hosted_models_error_is_of_failure check ((state = 'failed') = (error is not null)),
  constraint hosted_models_activation_is_of_warming check ((state = 'warming') = (activation is not null))
);
create index hosted_models_newest on hosted_models (project_id, created_at desc, id desc);
create index hosted_models_public on hosted_models (created_at desc, id desc) where visibility = 'public';
create index hosted_models_by_base on hosted_models (base_model_id);
create index hosted_models_warming on hosted_models (id) where state = 'warming';

-- Every target that an alias has had. The newest one is in `hosted_models`, too.
create table hosted_model_revisions (
  hosted_model_id text not null references hosted_models (id),
  revision integer not null check (revision >= 1),
  target_type text not null check (target_type in ('base_model', 'training_job')),
  target_id text not null,
  base_model_id text not null,
  sha256 text,
  rate_micro_per_minute bigint not null check (rate_micro_per_minute >= 0),
  price_version text not null,
  rate_frozen_at timestamptz not null default now(),
  -- The earlier revision that a rollback restored.
  restored_from integer check (restored_from < revision),
  -- The account or key that made it; null: the operator.
  created_by jsonb,
  created_at timestamptz not null default now(),
  primary key (hosted_model_id, revision)
);

-- Accounts that may call a hosted model of another account. An expired share has no effect.
create table model_shares (
  id text primary key,
  hosted_model_id text not null,
  -- The project of the model: admission looks for shares by account and project.
  project_id text not null,
  account_id text not null references accounts (id),
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  unique (hosted_model_id, account_id),
  constraint model_shares_project_of_model foreign key (hosted_model_id, project_id)
    references hosted_models (id, project_id)
);
create index model_shares_by_account on model_shares (account_id, project_id);
create index model_shares_newest on model_shares (hosted_model_id, created_at desc, id desc);

-- Remote engines that serve base models, as the operator set them up. Every instance reads them from time to time.
create table serving_routes (
  id text collate "C" primary key check (id ~ '^[a-z0-9][a-z0-9._-]{0,62}$'),
  base_model_id text collate "C" not null,
  -- The name of an engine dialect.
  api text not null check (api ~ '^[a-z][a-z0-9-]*$'),
  url text not null check (url ~ '^https?://'),
  upstream_model text not null,
  -- Where each instance finds the secret: env:NAME or file:/path. The secret itself is not in the database.
  secret_source text check (secret_source ~ '^(env:[A-Za-z_][A-Za-z0-9_]*|file:/.+)$'),
  capacity integer not null check (capacity between 1 and 10000),
  weight real not null check (weight > 0),
  draining boolean not null default false,
  -- The model there reads images.
  vision boolean not null default false,
  -- The folder through which the engine gets adapters: its path here, and its path at the engine where that differs.
  adapters_folder text check (adapters_folder ~ '^/'),
  adapters_seen_as text check (adapters_seen_as ~ '^/'),
  created_at timestamptz not null default now(),
  constraint serving_routes_adapters_check check (adapters_seen_as is null or adapters_folder is not null)
);

-- Models that operators have asked for. A server with the role `worker` fetches them; one at a time fetches one.
create table model_pulls (
  id text primary key,
  -- An id of the catalogue, or a model of the hub.
  model text not null check (char_length(model) between 1 and 500),
  -- What it is to be called; null: as its repository.
  model_id text check (char_length(model_id) between 1 and 63),
  -- The weights that training needs, instead of the file that serves.
  is_weights boolean not null,
  is_forced boolean not null,
  state text not null default 'queued' check (state in ('queued', 'running', 'succeeded', 'failed', 'canceled')),
  cancel_requested boolean not null default false,
  phase text check (phase in ('download', 'check')),
  received_bytes bigint not null default 0 check (received_bytes >= 0),
  total_bytes bigint check (total_bytes >= 0),
  bytes_per_second bigint not null default 0,
  -- Which file was chosen and why, and what the transfer met.
  note text,
  -- Why it failed.
  error text,
  -- The base model that it has installed.
  base_model_id text,
  created_by text not null references accounts (id),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint model_pulls_error_is_of_failure check ((state = 'failed') = (error is not null)),
  constraint model_pulls_model_is_of_success check ((state = 'succeeded') = (base_model_id is not null))
);
-- Nothing is fetched twice at the same time.
create unique index model_pulls_live on model_pulls (model, coalesce(model_id, ''), is_weights)
  where state in ('queued', 'running');
create index model_pulls_newest on model_pulls (created_at desc, id desc);
