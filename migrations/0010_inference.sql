--! compatible
-- Text calls that a project stores for later training, because auto-save is on; only calls of the owner's own account.
-- `json`, not `jsonb`: a caller's text may contain what jsonb cannot, such as NUL or half of a surrogate pair.
create table saved_calls (
  request_id text primary key,
  project_id text not null references all_projects (id),
  account_id text not null references accounts (id),
  key_id text,
  key_name text,
  model_requested text not null,
  model_served text not null,
  model_revision integer,
  messages json not null,
  tools json not null,
  params json not null,
  answer json not null,
  finish_reason text not null check (finish_reason in ('stop', 'length', 'tool_calls')),
  prompt_tokens integer not null,
  completion_tokens integer not null,
  reasoning_tokens integer not null,
  cached_tokens integer not null,
  active_ms double precision not null check (active_ms >= 0),
  prompt_preview text not null check (char_length(prompt_preview) <= 200),
  answer_preview text not null check (char_length(answer_preview) <= 200),
  -- The beginning of the texts for searches, folded by the program.
  search_text text not null,
  created_at timestamptz not null default now()
);
create index saved_calls_by_project on saved_calls (project_id, created_at desc, request_id desc);
create index saved_calls_by_age on saved_calls (created_at);

-- A saved call becomes one example of a dataset once, also after the example or the call was deleted.
create table saved_call_examples (
  dataset_id text collate "C" not null,
  request_id text not null,
  -- Null: the dataset had an equal example already.
  example_id text collate "C",
  created_at timestamptz not null default now(),
  primary key (dataset_id, request_id)
);

-- Responses of calls with `store`, for the account that called, in the project where it did. Later calls continue them.
-- JSON is `text` here: a caller's text may contain what `jsonb` cannot, and digits and the order of keys are preserved.
create table stored_responses (
  project_id text collate "C" not null references all_projects (id),
  account_id text collate "C" not null references accounts (id) on delete cascade,
  id text collate "C" not null,
  -- The response that this one follows, of the same account in the same project. It may have been deleted.
  previous_id text collate "C",
  model text not null,
  input text not null,
  body text not null,
  -- Of `input` and `body`.
  bytes integer not null check (bytes > 0),
  created_at timestamptz not null default now(),
  primary key (project_id, account_id, id)
);
create index stored_responses_by_previous on stored_responses (project_id, account_id, previous_id) where previous_id is not null;
create index stored_responses_by_account on stored_responses (account_id, created_at, id) include (project_id, bytes);
create index stored_responses_by_age on stored_responses (created_at);
