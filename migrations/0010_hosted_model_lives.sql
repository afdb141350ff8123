--! compatible
-- The life of hosted models: a load check before anybody is served, targets that change one revision at a time, and
-- what the lists need.
alter table hosted_models
  add column state text not null default 'inactive' check (state in ('inactive', 'warming', 'active', 'failed')),
  -- Why the last load check failed: `code` and `message`.
  add column error jsonb,
  -- The base model behind the target, whatever the target is.
  add column base_model_id text,
  -- Digest of the file that the load check met; null until then.
  add column revision_sha256 text,
  add column rate_frozen_at timestamptz not null default now(),
  add column last_called_at timestamptz,
  -- What a search looks through, folded by the program.
  add column search_text text not null default '',
  -- Which activation warms it, and who asked for it: an attempt at an earlier one must not end a later one.
  add column activation jsonb,
  add constraint hosted_models_error_is_of_failure check ((state = 'failed') = (error is not null)),
  add constraint hosted_models_activation_is_of_warming check ((state = 'warming') = (activation is not null));

update hosted_models set state = case when active then 'active' else 'inactive' end, base_model_id = target_id,
  search_text = lower(alias || ' ' || display_name);
alter table hosted_models alter column base_model_id set not null, drop column active;

create index hosted_models_newest on hosted_models (project_id, created_at desc, id desc);
create index hosted_models_public on hosted_models (created_at desc, id desc) where visibility = 'public';
create index hosted_models_by_base on hosted_models (base_model_id);
create index hosted_models_warming on hosted_models (id) where state = 'warming';

-- One row per target that an alias has had; the newest is what `hosted_models` serves.
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
  -- The earlier revision that a rollback went back to.
  restored_from integer check (restored_from < revision),
  -- Account or key that made it; null: the operator.
  created_by jsonb,
  created_at timestamptz not null default now(),
  primary key (hosted_model_id, revision)
);
insert into hosted_model_revisions (hosted_model_id, revision, target_type, target_id, base_model_id,
                                    rate_micro_per_minute, price_version, rate_frozen_at, created_at)
  select id, revision, target_type, target_id, base_model_id, rate_micro_per_minute, price_version, rate_frozen_at, updated_at
    from hosted_models;

-- A share names the project of its model, so that admission finds by project whom anything of it is shared with.
alter table hosted_models add constraint hosted_models_in_project unique (id, project_id);
alter table model_shares
  add constraint model_shares_project_of_model foreign key (hosted_model_id, project_id)
    references hosted_models (id, project_id);

create index model_shares_newest on model_shares (hosted_model_id, created_at desc, id desc);
