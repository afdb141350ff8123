--! compatible
-- Only a digest of a key is stored, and what a list may show. A deleted key is a deleted row.
create table api_keys (
  id text primary key,
  account_id text not null references accounts (id),
  name text not null check (char_length(name) between 1 and 80),
  digest bytea not null unique check (octet_length(digest) = 32),
  masked_prefix text not null,
  last_four text not null,
  active boolean not null default true,
  -- Limits that the account sets for the key; null: none.
  requests_per_minute integer check (requests_per_minute between 1 and 1000000),
  concurrent_requests integer check (concurrent_requests between 1 and 10000),
  credits_per_day_micro bigint check (credits_per_day_micro >= 0),
  created_at timestamptz not null default now(),
  last_used_at timestamptz
) with (fillfactor = 80);
create index api_keys_by_account on api_keys (account_id, created_at desc, id desc);
