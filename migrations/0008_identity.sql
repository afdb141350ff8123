--! compatible
-- How people prove who they are. There is no table of users: a user is an account. better-auth reads and writes these
-- tables through src/accounts/identity/identity.store.ts only.
alter table accounts
  -- Folded to lower case before it is written, so that `unique` tells twins.
  add constraint accounts_email_is_folded check (email = lower(email) and char_length(email) <= 254),
  add column email_verified boolean not null default false,
  add column avatar_url text check (char_length(avatar_url) <= 2048),
  add column locale text not null default 'en' check (char_length(locale) between 1 and 35),
  -- Keys that may be active at a time.
  add column max_active_keys integer not null default 1000 check (max_active_keys >= 0);

-- Ways to sign in to an account: its password (`local`, subject = the account), or a person of an identity provider.
-- The issuer is part of the key: after a change of provider nobody inherits an account by having its old subject.
create table auth_identities (
  issuer text not null,
  subject text not null,
  account_id text not null references accounts (id),
  password_hash text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (issuer, subject),
  constraint auth_identities_password_is_local check ((issuer = 'local') = (password_hash is not null)),
  constraint auth_identities_local_is_own check (issuer <> 'local' or subject = account_id)
);
create index auth_identities_by_account on auth_identities (account_id);

-- Sessions by the digest of their token: who reads this table cannot use them. A session that ended is a deleted row.
create table auth_sessions (
  id text primary key,
  account_id text not null references accounts (id),
  token_digest bytea not null unique check (octet_length(token_digest) = 32),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
) with (fillfactor = 80);
create index auth_sessions_by_account on auth_sessions (account_id);

-- Recent tries of a password, by the digest of what is counted (an account, an address, both together).
create table auth_tries (
  subject bytea primary key check (octet_length(subject) = 32),
  tries timestamptz[] not null,
  expires_at timestamptz not null
);
create index auth_tries_by_expiry on auth_tries (expires_at);

-- Takes one try of every subject, or of none: each may have `limits[i]` in any span of `span_s` seconds. Gives the
-- seconds to wait, 0 when the try was taken. Subjects are locked in one order, so that callers never wait in a circle,
-- and the count is exact however many replicas ask at the same time.
create function auth_take_try(subjects bytea[], limits integer[], span_s double precision) returns double precision
  language plpgsql
as $$
declare
  span constant interval := make_interval(secs => span_s);
  wait_s double precision := 0;
  asked record;
  found_tries timestamptz[];
  recent timestamptz[];
begin
  for asked in select s.subject, s.most from unnest(subjects, limits) as s (subject, most) order by s.subject loop
    insert into auth_tries as t (subject, tries, expires_at)
      values (asked.subject, '{}', clock_timestamp() + span)
      on conflict (subject) do update set subject = excluded.subject
      returning t.tries into found_tries;
    recent := array(select at from unnest(found_tries) as at where at > clock_timestamp() - span order by at);
    if cardinality(recent) >= asked.most then
      wait_s := greatest(
        wait_s,
        extract(epoch from recent[cardinality(recent) - asked.most + 1] + span - clock_timestamp())
      );
    end if;
  end loop;
  if wait_s > 0 then
    return wait_s;
  end if;
  update auth_tries set
    tries = array(select at from unnest(tries) as at where at > clock_timestamp() - span order by at)
      || clock_timestamp(),
    expires_at = clock_timestamp() + span
  where subject = any(subjects);
  -- More rows go than come, so the table stays as large as what happened in one span. Rows in use are passed over.
  delete from auth_tries where subject in (
    select old.subject from auth_tries old where old.expires_at < clock_timestamp()
    order by old.expires_at limit 16 for update skip locked
  );
  return 0;
end $$;
