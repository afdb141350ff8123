--! compatible
-- What a limited key or account (`subject`) has used: requests in the current minute and credits charged on this day (UTC).
create table limit_counters (
  subject text primary key,
  minute_started_at timestamptz not null,
  minute_requests integer not null default 0,
  day date not null,
  day_micro bigint not null default 0
) with (fillfactor = 50);

-- What each account has stored: files of imports, contents of examples, adapters. It is not in `accounts`, so that an
-- account that stores much does not delay its own charges.
create table account_storage (
  account_id text primary key references accounts (id),
  bytes bigint not null check (bytes >= 0)
);

create function change_storage(account text, change bigint) returns void language sql
begin atomic
  insert into account_storage as s (account_id, bytes) values (account, greatest(change, 0))
      on conflict (account_id) do update set bytes = greatest(s.bytes + change, 0);
end;
