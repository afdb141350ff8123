--! compatible
-- Exports of accounts that run: one at a time for each. One that is no longer renewed has ended with its server.
create table account_exports (
  account_id text primary key references accounts (id),
  id text not null,
  until timestamptz not null
);
