--! compatible
-- Accounts that may call a hosted model of somebody else's project. A share that has expired counts as none.
create table model_shares (
  id text primary key,
  hosted_model_id text not null references hosted_models (id),
  project_id text not null references projects (id),
  account_id text not null references accounts (id),
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  unique (hosted_model_id, account_id)
);
create index model_shares_by_account on model_shares (account_id, project_id);
