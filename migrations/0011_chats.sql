--! compatible
-- Conversations of the playground. `json`, not `jsonb`: a model's text may contain what jsonb cannot.
create table chats (
  id text collate "C" primary key,
  project_id text not null references all_projects (id),
  -- Empty until the first message sets it.
  title text not null check (char_length(title) <= 120),
  -- For searches, folded by the program.
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

-- queued -> streaming -> complete | failed | stopped. The instance that answers renews `lease_until`; when the lease
-- expires, the instance is dead. `queued` without a lease waits for another try, because its model was starting.
create table chat_messages (
  id text collate "C" primary key,
  chat_id text collate "C" not null references chats (id) on delete cascade,
  seq integer not null,
  role text not null check (role in ('user', 'assistant', 'tool')),
  content text,
  reasoning text,
  tool_calls json,
  -- The call that the result of a tool answers.
  tool_call_id text,
  -- What the person thinks of an answer; another attempt has none yet.
  rating text check (rating in ('up', 'down')),
  state text not null check (state in ('queued', 'streaming', 'complete', 'failed', 'stopped')),
  attempt integer not null default 1 check (attempt >= 1),
  -- How often an answer was begun. `attempt` goes back when a complete answer is restored instead of replaced, so a slow
  -- instance could take the next attempt for its own.
  starts integer not null default 1,
  -- A complete answer that is to be replaced stays until the new one begins.
  is_spare boolean not null default false,
  stop_requested boolean not null default false,
  lease_until timestamptz,
  -- Of the request that added the message: repeated after its instance died, it gets an answer to this message.
  idempotency_key text,
  error json,
  finish_reason text,
  usage json,
  -- The body of the same call to the route of chat completions.
  request json,
  request_id text,
  model_revision integer,
  active_ms double precision not null default 0,
  credits_micro bigint not null default 0,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  unique (chat_id, seq),
  check ((tool_call_id is not null) = (role = 'tool')),
  check (lease_until is null or state in ('queued', 'streaming'))
);
-- A chat gets one answer at a time.
create unique index chat_messages_running on chat_messages (chat_id) where lease_until is not null;
create index chat_messages_leases on chat_messages (lease_until) where lease_until is not null;
create index chat_messages_waiting on chat_messages (created_at) where state = 'queued' and lease_until is null;

-- Images that were sent with messages, as they were sent. Compressed already.
create table chat_images (
  id text collate "C" primary key,
  chat_id text collate "C" not null references chats (id) on delete cascade,
  message_id text collate "C" not null references chat_messages (id) on delete cascade,
  -- Whose storage it takes.
  account_id text collate "C" not null references accounts (id),
  position smallint not null check (position between 0 and 7),
  media_type text not null check (media_type in ('image/png', 'image/jpeg', 'image/gif', 'image/webp')),
  data bytea not null check (octet_length(data) between 1 and 1048576),
  bytes integer not null generated always as (octet_length(data)) stored,
  created_at timestamptz not null default now(),
  unique (message_id, position)
);
alter table chat_images alter column data set storage external;
create index chat_images_by_chat on chat_images (chat_id);
create index chat_images_by_account on chat_images (account_id) include (bytes);

-- The words of messages, for searches: those of what was said, and of answers as they ended. Each begins with characters of the
-- project's id, so that the work of a search does not depend on other projects.
create table chat_words (
  message_id text collate "C" primary key references chat_messages (id) on delete cascade,
  chat_id text collate "C" not null references chats (id) on delete cascade,
  seq integer not null,
  words tsvector not null
);
create index chat_words_by_word on chat_words using gin (words);
create index chat_words_by_chat on chat_words (chat_id, seq desc);

-- One attempt of an answer becomes one example of a dataset.
create table chat_examples (
  message_id text collate "C" not null references chat_messages (id) on delete cascade,
  attempt integer not null,
  dataset_id text collate "C" not null,
  example_id text collate "C" not null,
  primary key (message_id, attempt, dataset_id)
);
