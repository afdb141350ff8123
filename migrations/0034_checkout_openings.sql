--! compatible
-- When an account has opened checkouts in the last hour, those on their way included. A time is added before the page of
-- the provider is opened and by one guarded update of one row, so the limit is exact over any number of processes.
create table checkout_openings (
  account_id text primary key references accounts (id),
  opened_at timestamptz[] not null
);
insert into checkout_openings
select account_id, (array_agg(created_at order by created_at desc))[1:30]
  from checkouts where created_at > now() - interval '1 hour' group by account_id;
