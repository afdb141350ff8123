--! compatible
-- There is no table of users: a user is an account.
--
-- `balance_micro` is the sum of the account's ledger rows and `held_micro` the sum of what its calls hold. Both are stored
-- here so that one guarded update decides whether a call may begin.
create table accounts (
  id text primary key,
  slug text not null unique check (slug ~ '^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$'),
  email text unique,
  email_verified boolean not null default false,
  display_name text not null,
  avatar_url text check (char_length(avatar_url) <= 2048),
  locale text not null default 'en' check (char_length(locale) between 1 and 35),
  role text not null default 'user' check (role in ('user', 'admin')),
  status text not null default 'active' check (status in ('active', 'suspended')),
  balance_micro bigint not null default 0,
  held_micro bigint not null default 0 check (held_micro >= 0),
  -- Limits that the account sets for itself, and those that the operator sets for it; null: none. The lower one holds. They
  -- are in the row that admission reads anyway.
  requests_per_minute integer check (requests_per_minute between 1 and 1000000),
  concurrent_requests integer check (concurrent_requests between 1 and 10000),
  credits_per_day_micro bigint check (credits_per_day_micro >= 0),
  operator_requests_per_minute integer check (operator_requests_per_minute between 1 and 1000000),
  operator_concurrent_requests integer check (operator_concurrent_requests between 1 and 10000),
  operator_credits_per_day_micro bigint check (operator_credits_per_day_micro >= 0),
  -- Keys that may be active at a time, and projects that may be open; archived ones do not count.
  max_active_keys integer not null default 1000 check (max_active_keys >= 0),
  max_projects integer not null default 1000 check (max_projects >= 0),
  -- Set by the operator; null: no limit.
  max_storage_bytes bigint,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- When its owner deleted it. The row stays: ledger and feed name it, and nobody else may get its slug.
  deleted_at timestamptz,
  -- When a server may take up the removal of what is stored for it; null once that is done.
  removal_due_at timestamptz,
  -- In lower case, so that `unique` finds equal addresses.
  constraint accounts_email_is_folded check (email = lower(email) and char_length(email) <= 254),
  constraint accounts_never_overdrawn check (balance_micro >= held_micro),
  -- What refuses suspended accounts refuses deleted ones, and nothing of the person is stored in them.
  constraint accounts_deleted_is_closed check (deleted_at is null
    or (status = 'suspended' and role = 'user' and display_name = slug and num_nonnulls(email, avatar_url) = 0)),
  constraint accounts_removal_is_of_deleted check (removal_due_at is null or deleted_at is not null)
) with (fillfactor = 50);
create index accounts_to_remove on accounts (removal_due_at) where removal_due_at is not null;

-- Secrets and facts of this installation that all instances share, such as the key of cursors.
create table settings (
  name text primary key,
  value bytea not null,
  created_at timestamptz not null default now()
);

-- Ways to sign in to an account: its password (`local`, the subject is the account), or a person of an identity provider.
-- The issuer is part of the key: after a change of provider nobody gets an account because of an equal subject.
-- better-auth uses this table and the next through src/accounts/identity/identity.store.ts only.
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

-- Only the digest of a token is stored, so that a reader of this table cannot use it. A session that ended is deleted.
create table auth_sessions (
  id text primary key,
  account_id text not null references accounts (id),
  token_digest bytea not null unique check (octet_length(token_digest) = 32),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- Written at most once an hour.
  last_used_at timestamptz not null default now(),
  -- Where the person signed in, so that he recognises the session.
  user_agent text check (char_length(user_agent) <= 400)
) with (fillfactor = 80);
create index auth_sessions_by_account on auth_sessions (account_id);

-- Links with which a person opens an account. Only the digest of a token is stored.
create table invitations (
  id text primary key,
  token_digest bytea not null unique check (octet_length(token_digest) = 32),
  -- `start`: printed when the server starts, for the first operator. It is valid at one host only.
  kind text not null check (kind in ('start', 'account')),
  role text not null check (role in ('user', 'admin')),
  -- Whose it is; null: whoever has the link.
  email text,
  host text,
  created_by text references accounts (id),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  -- The account that it has opened.
  account_id text references accounts (id),
  constraint invitations_host_is_of_start check ((kind = 'start') = (host is not null)),
  constraint invitations_email_is_folded check (email = lower(email) and char_length(email) <= 254),
  constraint invitations_use_is_whole check (num_nulls(used_at, account_id) in (0, 2))
);
create index invitations_newest on invitations (created_at desc, id desc) where kind = 'account';

-- What an operator has set about sign-up, in one row; null: as the server is configured.
create table sign_up_settings (
  is_only boolean primary key default true check (is_only),
  policy text check (policy in ('closed', 'oidc', 'open')),
  credits_micro bigint check (credits_micro >= 0)
);

-- Recent tries of a password, by the digest of what is limited: an account, an address, or both together.
create table auth_tries (
  subject bytea primary key check (octet_length(subject) = 32),
  tries timestamptz[] not null,
  expires_at timestamptz not null
);
create index auth_tries_by_expiry on auth_tries (expires_at);

-- Counts one try for every subject, or for none: subject i may have `limits[i]` in any span of `span_s` seconds. Returns
-- the seconds to wait; 0: the try was counted. Subjects are locked in order, so there are no deadlocks, and the count is
-- exact for any number of instances.
create function auth_take_try(subjects bytea[], limits integer[], span_s double precision) returns double precision
  language plpgsql
as $$
declare
  span constant interval := make_interval(secs => span_s);
  wait_s double precision := 0;
  checked record;
  found_tries timestamptz[];
  recent timestamptz[];
begin
  for checked in select s.subject, s.most from unnest(subjects, limits) as s (subject, most) order by s.subject loop
    insert into auth_tries as t (subject, tries, expires_at)
      values (checked.subject, '{}', clock_timestamp() + span)
      on conflict (subject) do update set subject = excluded.subject
      returning t.tries into found_tries;
    recent := array(select at from unnest(found_tries) as at where at > clock_timestamp() - span order by at);
    if cardinality(recent) >= checked.most then
      wait_s := greatest(
        wait_s,
        extract(epoch from recent[cardinality(recent) - checked.most + 1] + span - clock_timestamp())
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
  -- Deletes more rows than were added, so the table has only the tries of about one span. Locked rows are skipped.
  delete from auth_tries where subject in (
    select old.subject from auth_tries old where old.expires_at < clock_timestamp()
    order by old.expires_at limit 16 for update skip locked
  );
  return 0;
end $$;
