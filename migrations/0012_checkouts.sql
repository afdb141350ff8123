--! compatible
-- Purchases of credits through a payment provider. `open` waits for the buyer, `processing` for his bank; the other states
-- are ends. Money that arrives counts whatever the state was.
create table checkouts (
  id text primary key,
  account_id text not null references accounts (id),
  state text not null default 'open'
    check (state in ('open', 'processing', 'completed', 'failed', 'canceled', 'expired')),
  micro bigint not null check (micro > 0),
  pack_id text,
  -- In the smallest unit of the currency.
  price_minor bigint not null check (price_minor > 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  provider text not null check (provider = 'stripe'),
  provider_session_id text not null,
  url text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  completed_at timestamptz,
  -- When the provider was asked last; it is asked again for what it may have failed to tell.
  checked_at timestamptz not null default now(),
  unique (provider, provider_session_id),
  constraint checkouts_completed_at check ((state = 'completed') = (completed_at is not null))
);
create index checkouts_by_account on checkouts (account_id, created_at);
create index checkouts_under_way on checkouts (checked_at) where state in ('open', 'processing');

-- What the provider has told, so that nothing is done twice.
create table payment_events (
  id text primary key,
  type text not null,
  checkout_id text not null references checkouts (id),
  received_at timestamptz not null default now()
);
