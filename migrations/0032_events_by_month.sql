--! compatible
-- Retrieval events are cut into months by their ids, which begin with their time (docs/adr/0011-months.md). They are
-- in `reported_events`.

-- A part that begins before all months has all of them up to the one that it is called after.
create function has_month(parent text, month date) returns boolean language sql stable
  return to_regclass(parent || to_char(month, '_YYYY_MM')) is not null or exists (
    select from pg_inherits join pg_class on pg_class.oid = inhrelid
     where inhparent = to_regclass(parent) and relname > parent || to_char(month, '_YYYY_MM')
       and pg_get_expr(relpartbound, pg_class.oid) like 'FOR VALUES FROM (MINVALUE)%');

-- As in 0028_months.sql, but for the first question.
create or replace function add_month(parent text, key text, month date) returns boolean language plpgsql as $$
declare
  name constant text := parent || to_char(month, '_YYYY_MM');
  other constant text := parent || '_other';
  first constant text := month_border(key, month);
  next constant text := month_border(key, (month + interval '1 month')::date);
  "column" constant text := (
    select attname from pg_partitioned_table join pg_attribute on attrelid = partrelid and attnum = partattrs[0]
     where partrelid = parent::regclass);
  has_rows boolean := false;
begin
  if has_month(parent, month) then
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
  if parent = 'ledger' then
    execute format('create trigger ledger_is_insert_only before update or delete or truncate on %I
                      for each statement execute function ledger_is_insert_only()', name);
  end if;
  return true;
end $$;

lock table retrieval_events in access exclusive mode;
create table reported_events (like retrieval_events including defaults including constraints including storage)
  partition by range (id);
alter table reported_events add primary key (dataset_id, id);
create index reported_events_by_state on reported_events (dataset_id, state, id);
create index reported_events_by_model on reported_events (dataset_id, model, id) where model is not null;
create index reported_events_by_promotion on reported_events (dataset_id, promoted_at) where state = 'promoted';
create index reported_events_search on reported_events using gin (retrieval_event_words(dataset_id, words));
create table reported_events_other partition of reported_events default;

-- What makes an external id unique in its dataset whatever the month. A row comes with its event, in one statement, never
-- changes, and goes with it: whoever sees the name sees the event, unless that went with its month.
create table retrieval_event_names (
  dataset_id text collate "C" not null,
  external_id text collate "C" not null,
  event_id text collate "C" not null
);
alter table retrieval_event_names add primary key (dataset_id, external_id);
-- Names come in the order of their events, so the oldest are found by a few pages.
create index retrieval_event_names_by_event on retrieval_event_names using brin (event_id);

-- As in 0021_retrieval_events.sql, and an event that goes takes its name with it: no writer can forget that.
create or replace function count_retrieval_events() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into retrieval_event_counts select dataset_id, state, count(*) from added group by dataset_id, state;
  elsif tg_op = 'DELETE' then
    insert into retrieval_event_counts select dataset_id, state, -count(*) from removed group by dataset_id, state;
    delete from retrieval_event_names name using removed
     where name.dataset_id = removed.dataset_id and name.external_id = removed.external_id
       and name.event_id = removed.id;
  else
    insert into retrieval_event_counts
    select dataset_id, state, sum(change)
      from (select dataset_id, state, 1 as change from added
            union all
            select dataset_id, state, -1 from removed) as changes
     group by dataset_id, state
    having sum(change) <> 0;
  end if;
  return null;
end $$;
create trigger reported_events_are_counted_in after insert on reported_events
  referencing new table as added for each statement execute function count_retrieval_events();
create trigger reported_events_are_counted_over after update on reported_events
  referencing old table as removed new table as added for each statement execute function count_retrieval_events();
create trigger reported_events_are_counted_out after delete on reported_events
  referencing old table as removed for each statement execute function count_retrieval_events();
drop trigger promoted_retrieval_events_are_final on retrieval_events;
create trigger promoted_retrieval_events_are_final before update on reported_events
  for each row when (old.state = 'promoted') execute function promoted_is_final();

drop table retrieval_events;
do $$
begin
  for ahead in 0 .. 2 loop
    perform add_month('reported_events', 'rev', (month_of(now()) + make_interval(months => ahead))::date);
  end loop;
end $$;
