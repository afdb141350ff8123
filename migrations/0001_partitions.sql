--! compatible
-- Tables that grow with every call are partitioned by month (docs/adr/0011-months.md). The partitions of a table are
-- `{table}_{year}_{month}`. Most have `{table}_other`, the default partition: rows of a clock that jumps are not lost.

-- The lowest id with this prefix that can be made at that time, as in src/kernel/ids.ts.
create function first_id_at(prefix text, at timestamptz) returns text
  language sql immutable strict parallel safe
  return prefix || '_' || (
    select string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (ms >> shift & 31)::integer, 1), '' order by shift desc)
      from (select floor(extract(epoch from at) * 1000)::bigint) as time (ms), generate_series(0, 45, 5) as shift
  ) || repeat('0', 16);

-- The first `seq` of a month of the ledger. A month has 2^38 numbers, enough for 100,000 charges a second, and all of
-- them are exact as a double until the year 2730. When a month's numbers are used up, the next month's follow.
create function ledger_month_start(month date) returns bigint
  language sql immutable strict parallel safe
  return (extract(year from month)::bigint * 12 + extract(month from month)::bigint - 1) << 38;

-- The month in UTC.
create function month_of(at timestamptz) returns date
  language sql immutable strict parallel safe
  return date_trunc('month', at at time zone 'UTC')::date;

-- Where a month begins, as a literal of the partition key: a `seq` of the ledger, a `time`, or ids with this prefix.
create function month_bound(key text, month date) returns text
  language sql immutable strict parallel safe
  return case key
    when 'seq' then ledger_month_start(month)::text
    when 'time' then quote_literal(to_char(month, 'YYYY-MM-DD') || 'T00:00:00Z')
    else quote_literal(first_id_at(key, month::timestamp at time zone 'UTC'))
  end;

-- Adds the partition of a month unless it exists, and moves its rows there from the default partition. Attaching a
-- table does not wait for those who read or write other months.
create function add_month(parent text, key text, month date) returns boolean language plpgsql as $$
declare
  name constant text := parent || to_char(month, '_YYYY_MM');
  other constant text := parent || '_other';
  first constant text := month_bound(key, month);
  next constant text := month_bound(key, (month + interval '1 month')::date);
  "column" constant text := (
    select attname from pg_partitioned_table join pg_attribute on attrelid = partrelid and attnum = partattrs[0]
     where partrelid = parent::regclass);
  has_rows boolean := false;
begin
  if to_regclass(name) is not null then
    return false;
  end if;
  execute format('create table %I (like %I including all)', name, parent);
  if to_regclass(other) is not null then
    execute format('lock table %I in access exclusive mode', other);
    execute format('select exists (select from %I where %I >= %s and %I < %s)', other, "column", first, "column", next)
       into has_rows;
  end if;
  if has_rows then
    execute format('alter table %I disable trigger user', other);
    execute format('with moved as (delete from %I where %I >= %s and %I < %s returning *) insert into %I select * from moved',
      other, "column", first, "column", next, name);
    execute format('alter table %I enable trigger user', other);
  end if;
  execute format('alter table %I attach partition %I for values from (%s) to (%s)', parent, name, first, next);
  -- A partition does not inherit triggers for statements.
  if parent = 'ledger' then
    execute format('create trigger ledger_is_insert_only before update or delete or truncate on %I
                      for each statement execute function ledger_is_insert_only()', name);
  end if;
  return true;
end $$;
