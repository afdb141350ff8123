--! compatible
-- Accounts and what they own on the money side. `balance_micro` is the sum of the account's ledger rows and
-- `held_micro` the sum of its open holds; both are kept here so that one guarded UPDATE decides admission.
create table accounts (
  id text primary key,
  slug text not null unique check (slug ~ '^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$'),
  email text unique,
  display_name text not null,
  role text not null default 'user' check (role in ('user', 'admin')),
  status text not null default 'active' check (status in ('active', 'suspended')),
  balance_micro bigint not null default 0,
  held_micro bigint not null default 0 check (held_micro >= 0),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint accounts_never_overdrawn check (balance_micro >= held_micro)
) with (fillfactor = 50);

-- Secrets and facts of this installation, shared by every replica (the cursor key, for one).
create table settings (
  name text primary key,
  value bytea not null,
  created_at timestamptz not null default now()
);
