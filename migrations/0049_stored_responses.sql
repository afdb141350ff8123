--! compatible
-- Responses that were asked for with `store`, for the account that asked, in the project where it did. Calls go on from them. What is
-- JSON here is `text`: a caller's text may hold what `jsonb` cannot, and digits and the order of keys stay as they were.
create table stored_responses (
  project_id text collate "C" not null references projects (id) on delete cascade,
  account_id text collate "C" not null references accounts (id) on delete cascade,
  id text collate "C" not null,
  -- The response that this one follows, of the same account in the same project. It may be gone.
  previous_id text collate "C",
  model text not null,
  input text not null,
  body text not null,
  -- Of `input` and `body`.
  bytes integer not null check (bytes > 0),
  -- What the call is to pay. It is kept with the response, before it is paid, so that neither can be lost alone.
  charge jsonb not null,
  created_at timestamptz not null default now(),
  primary key (project_id, account_id, id)
);
create index stored_responses_by_previous on stored_responses (project_id, account_id, previous_id) where previous_id is not null;
create index stored_responses_by_account on stored_responses (account_id, created_at, id) include (project_id, bytes);
create index stored_responses_by_age on stored_responses (created_at);
