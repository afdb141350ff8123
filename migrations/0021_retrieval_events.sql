--! compatible
-- What searches report: a query, what they showed for it, and what people did with that. Events come at a high rate, so
-- there is no foreign key (datasets are never deleted), and no time of creation: an id begins with it, so ids are the
-- order and the clock of lists.
create table retrieval_events (
  dataset_id text collate "C" not null,
  id text collate "C" not null,
  -- The client's own name of the event: what is sent again makes nothing.
  external_id text collate "C",
  -- SHA-256 of all but the judgments, which may be added later.
  body_digest bytea not null check (octet_length(body_digest) = 32),
  state text not null check (state in ('pending', 'needs_judgment', 'skipped', 'promoted')),
  query text not null,
  -- JSON, as it is shown.
  results text not null,
  judgments text not null,
  model text collate "C",
  details text,
  -- The words of the query, folded, in front of and behind each a space.
  words text not null,
  skipped_reason text check (char_length(skipped_reason) <= 200),
  example_ids text[] not null default '{}',
  promoted_at timestamptz,
  -- Null: never.
  updated_at timestamptz,
  primary key (dataset_id, id),
  -- Final: what it taught is an example.
  constraint retrieval_events_promoted check
    ((state = 'promoted') = (promoted_at is not null) and (state = 'promoted') = (cardinality(example_ids) > 0)),
  constraint retrieval_events_skipped check (state = 'skipped' or skipped_reason is null)
);
-- Beside the row and as it is: compressing it would take as long as all the rest of writing an event (60 of 114 µs), and
-- a change of state would write it again.
alter table retrieval_events alter column results set storage external;
create unique index retrieval_events_external on retrieval_events (dataset_id, external_id) where external_id is not null;
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

-- Events of a dataset by state, as changes to be added up: so nobody who reports waits for anybody else. They are
-- written by whatever changes events, and added up from time to time.
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
create trigger retrieval_events_are_counted_in after insert on retrieval_events
  referencing new table as added for each statement execute function count_retrieval_events();
create trigger retrieval_events_are_counted_over after update on retrieval_events
  referencing old table as removed new table as added for each statement execute function count_retrieval_events();
create trigger retrieval_events_are_counted_out after delete on retrieval_events
  referencing old table as removed for each statement execute function count_retrieval_events();

-- Which query has taught which passage, as SHA-256 of both, and in which example.
create table promoted_pairs (
  dataset_id text collate "C" not null,
  pair bytea not null check (octet_length(pair) = 32),
  example_id text collate "C" not null,
  promoted_at timestamptz not null default now(),
  primary key (dataset_id, pair, example_id)
);
create index promoted_pairs_by_age on promoted_pairs (promoted_at);

-- Promotions of an hour that the feed does not tell yet: its rows never change, so what follows the first promotion is
-- told when the hour is over.
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
