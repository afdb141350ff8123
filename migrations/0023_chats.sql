--! compatible
-- Conversations of the playground. What a model says may hold what `jsonb` cannot, so what is JSON here is `json`.
create table chats (
  id text collate "C" primary key,
  project_id text not null references projects (id),
  -- Empty until the first message gives it one.
  title text not null check (char_length(title) <= 120),
  -- What a search looks through.
  search_text text not null,
  model text,
  system_prompt text check (char_length(system_prompt) <= 8000),
  params json not null,
  message_count integer not null default 0 check (message_count >= 0),
  last_seq integer not null default 0,
  last_message_at timestamptz,
  archived_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index chats_by_project on chats (project_id, created_at desc, id desc);

-- queued -> streaming -> complete | failed | stopped. While a process answers, it renews `lease_until`; an answer whose
-- lease has run out has lost its process. `queued` without a lease waits for somebody to try again: its model was starting.
create table chat_messages (
  id text collate "C" primary key,
  chat_id text collate "C" not null references chats (id) on delete cascade,
  seq integer not null,
  role text not null check (role in ('user', 'assistant', 'tool')),
  content text,
  reasoning text,
  tool_calls json,
  state text not null check (state in ('queued', 'streaming', 'complete', 'failed', 'stopped')),
  attempt integer not null default 1 check (attempt >= 1),
  error json,
  finish_reason text,
  usage json,
  -- The body that P/chat/completions would have got.
  request json,
  request_id text,
  model_revision integer,
  active_ms double precision not null default 0,
  credits_micro bigint not null default 0,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  lease_until timestamptz,
  stop_requested boolean not null default false,
  -- A complete answer that is being made anew stays as it is until the new one begins.
  is_spare boolean not null default false,
  unique (chat_id, seq),
  check (lease_until is null or state in ('queued', 'streaming'))
);
-- A chat gets one answer at a time.
create unique index chat_messages_running on chat_messages (chat_id) where lease_until is not null;
create index chat_messages_leases on chat_messages (lease_until) where lease_until is not null;
create index chat_messages_waiting on chat_messages (created_at) where state = 'queued' and lease_until is null;

-- Charges of answers that are kept, until they are paid: whatever happens in between, they are paid once.
create table chat_charges (
  request_id text primary key,
  charge json not null,
  created_at timestamptz not null default now()
);
create index chat_charges_by_age on chat_charges (created_at);

-- One attempt at an answer becomes one example of a dataset.
create table chat_examples (
  message_id text collate "C" not null references chat_messages (id) on delete cascade,
  attempt integer not null,
  dataset_id text collate "C" not null,
  example_id text collate "C" not null,
  primary key (message_id, attempt, dataset_id)
);

-- A saved call becomes one example of a dataset, once; also after that example, or the call, is gone.
create table saved_call_examples (
  dataset_id text collate "C" not null,
  request_id text not null,
  -- Null: the dataset had an equal example already.
  example_id text collate "C",
  created_at timestamptz not null default now(),
  primary key (dataset_id, request_id)
);
