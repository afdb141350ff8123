--! compatible
-- Text calls that a project keeps for later use as examples, because its owner switched auto-save on; only calls of the
-- owner's own account. `json`, not `jsonb`: a caller's text may hold what jsonb cannot (a NUL, half a surrogate pair).
create table saved_calls (
  -- One call is kept once, however often it is written.
  request_id text primary key,
  project_id text not null references projects (id),
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
  -- What a search looks through: the beginning of what was said, folded.
  search_text text not null,
  created_at timestamptz not null default now()
);
create index saved_calls_by_project on saved_calls (project_id, created_at desc, request_id desc);
create index saved_calls_by_age on saved_calls (created_at);
