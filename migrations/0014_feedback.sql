--! compatible
-- What applications report of their searches: the query, its results and the judgments of them. The rate is high, so there
-- is no foreign key (a trigger keeps a dataset from being deleted before them) and no time of creation: ids begin with it, so they give the order.
create table retrieval_events (
  dataset_id text collate "C" not null,
  id text collate "C" not null,
  -- The client's name of the event: an event that is sent again is not stored again.
  external_id text collate "C",
  -- SHA-256 of all but the judgments, which may be added later.
  body_digest bytea not null check (octet_length(body_digest) = 32),
  state text not null check (state in ('pending', 'needs_judgment', 'skipped', 'promoted')),
  query text not null,
  -- JSON in the form of the interface. Compressing it would take as long as the rest of the insert, and outside of the row
  -- a change of state does not write it again.
  results text storage external not null,
  judgments text not null,
  model text collate "C",
  details text,
  -- The folded words of the query, with a space before and after each.
  words text not null,
  skipped_reason text check (char_length(skipped_reason) <= 200),
  example_ids text[] not null default '{}',
  promoted_at timestamptz,
  -- Null: never.
  updated_at timestamptz,
  primary key (dataset_id, id),
  constraint retrieval_events_promoted check
    ((state = 'promoted') = (promoted_at is not null) and (state = 'promoted') = (cardinality(example_ids) > 0)),
  constraint retrieval_events_skipped check (state = 'skipped' or skipped_reason is null)
) partition by range (id);
create index retrieval_events_by_state on retrieval_events (dataset_id, state, id);
create index retrieval_events_by_model on retrieval_events (dataset_id, model, id) where model is not null;
create index retrieval_events_by_promotion on retrieval_events (dataset_id, promoted_at) where state = 'promoted';

-- The dataset is one of the words, so that a search stays within it.
create function retrieval_event_words(dataset text, words text) returns tsvector
  language sql immutable parallel safe strict
  return array_to_tsvector(array_append(string_to_array(btrim(words), ' '), dataset));
create index retrieval_events_search on retrieval_events using gin (retrieval_event_words(dataset_id, words));

create function promoted_is_final() returns trigger language plpgsql as $$
begin
  raise exception 'a promoted retrieval event never changes';
end $$;
create trigger promoted_retrieval_events_are_final before update on retrieval_events
  for each row when (old.state = 'promoted') execute function promoted_is_final();

-- Makes an external id unique in its dataset whatever the month. A row is written and deleted with its event and never
-- changes.
create table retrieval_event_names (
  dataset_id text collate "C" not null,
  external_id text collate "C" not null,
  event_id text collate "C" not null,
  primary key (dataset_id, external_id)
);
-- Names are written in the order of their events, so this finds the oldest ones.
create index retrieval_event_names_by_event on retrieval_event_names using brin (event_id);

-- Events of a dataset by state, as changes to be summed up: so no two reports wait for each other. Maintenance merges the
-- rows.
create table retrieval_event_counts (
  dataset_id text collate "C" not null,
  state text not null,
  events bigint not null
);
create index retrieval_event_counts_by_dataset on retrieval_event_counts (dataset_id, state) include (events);

create function count_retrieval_events() returns trigger language plpgsql as $$
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
create trigger retrieval_events_count_insert after insert on retrieval_events
  referencing new table as added for each statement execute function count_retrieval_events();
create trigger retrieval_events_count_update after update on retrieval_events
  referencing old table as removed new table as added for each statement execute function count_retrieval_events();
create trigger retrieval_events_count_delete after delete on retrieval_events
  referencing old table as removed for each statement execute function count_retrieval_events();

create table retrieval_events_other partition of retrieval_events default;
select add_month('retrieval_events', 'rev', (month_of(now()) + make_interval(months => ahead))::date)
  from generate_series(0, 2) as ahead;

-- Promoted pairs of a query and a passage, as SHA-256 of both, with their example.
create table promoted_pairs (
  dataset_id text collate "C" not null,
  pair bytea not null check (octet_length(pair) = 32),
  example_id text collate "C" not null,
  promoted_at timestamptz not null default now(),
  primary key (dataset_id, pair, example_id)
);
create index promoted_pairs_by_age on promoted_pairs (promoted_at);

-- Promotions that are not in the feed yet. Rows of the feed never change, so those that follow the first promotion of an
-- hour are recorded together after the hour.
create table promotion_notices (
  dataset_id text collate "C" not null,
  dataset_name text not null,
  account_id text not null,
  project_owner text not null,
  project_slug text not null,
  actor_kind text not null,
  -- Empty: none.
  actor_id text not null,
  actor_label text not null,
  hour timestamptz not null,
  events integer not null check (events >= 0),
  primary key (dataset_id, actor_kind, actor_id, hour)
);
create index promotion_notices_by_hour on promotion_notices (hour);

-- In place of foreign keys, which every report would pay for.
create function dataset_has_no_events() returns trigger language plpgsql as $$
begin
  if exists (select from retrieval_events where dataset_id = old.id)
     or exists (select from retrieval_event_names where dataset_id = old.id)
     or exists (select from retrieval_event_counts where dataset_id = old.id)
     or exists (select from promoted_pairs where dataset_id = old.id)
     or exists (select from promotion_notices where dataset_id = old.id) then
    raise exception 'the dataset % has retrieval events', old.id using errcode = 'foreign_key_violation', table = 'datasets';
  end if;
  return old;
end $$;
create trigger datasets_have_no_events before delete on datasets for each row execute function dataset_has_no_events();
