--! breaking
-- Sums of calls by key, project and model so that any span of days reads few rows for each of them, however long it is:
-- its quarters, less what lies before its first day, and what lies before its end. A row for each key and day, as
-- usage_days had it, made a summary read thirty times as much.

-- The calls of an account in a quarter (UTC), together and by what they were made with. Calls without a key have the key ''.
create table usage_quarters (
  account_id text not null,
  dimension text not null check (dimension in ('all', 'key', 'project', 'model')),
  quarter timestamptz not null,
  value text not null,
  rows bigint not null,
  active_us bigint not null,
  units bigint not null,
  micro bigint not null,
  primary key (account_id, dimension, quarter, value)
) with (fillfactor = 70);

-- The same of the part of a quarter that lies before a day, for each day that has calls; only of what had calls by then,
-- but of 'all' always, so that its rows tell which days there are. Before a day without calls lies the same as before the
-- next one with some in its quarter, or the whole quarter if there is none. Written once, when the first call of a day is
-- summed up, and so one after another in the table; changed only by calls that come after the clock was set back.
create table usage_quarter_parts (
  account_id text not null,
  dimension text not null check (dimension in ('all', 'key', 'project', 'model')),
  day timestamptz not null,
  value text not null,
  rows bigint not null,
  active_us bigint not null,
  units bigint not null,
  micro bigint not null,
  primary key (account_id, dimension, day, value)
);

insert into usage_quarters (account_id, dimension, quarter, value, rows, active_us, units, micro)
select account_id, dimension, date_trunc('quarter', day, 'UTC'), value, sum(rows), sum(active_us), sum(units), sum(micro)
  from usage_days group by 1, 2, 3, 4;

insert into usage_quarter_parts (account_id, dimension, day, value, rows, active_us, units, micro)
select account_id, dimension, day, value, sum(rows), sum(active_us), sum(units), sum(micro)
  from (select account_id, dimension, day, value, 0 as rows, 0 as active_us, 0 as units, 0 as micro
          from usage_days where dimension = 'all'
        union all
        select account_id, before.dimension, border.day, before.value, before.rows, before.active_us, before.units, before.micro
          from (select account_id, day, date_trunc('quarter', day, 'UTC') as quarter from usage_days where dimension = 'all') border
          join usage_days before using (account_id)
         where before.day >= border.quarter and before.day < border.day) part
 group by 1, 2, 3, 4 order by 1, 2, 3, 4;

-- The calls of an account on a day (UTC), together.
delete from usage_days where dimension <> 'all';
alter table usage_days drop constraint usage_days_pkey, drop column dimension, drop column value,
  add primary key (account_id, day);

-- As sum, but of bigint throughout: the built-in one goes by way of numeric, which takes most of the time of a summary.
-- Null is as 0, and what does not fit is an error.
create aggregate usage_sum(bigint) (sfunc = int8pl, stype = bigint, initcond = '0', parallel = safe);
