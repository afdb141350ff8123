--! compatible
-- What happened to an account, for its owner and for audits. Only `archived_at` may change.
-- There is no foreign key: attaching a month would then wait for every charge, and rows of accounts stay.
create table activity (
  id text not null,
  account_id text not null,
  type text not null,
  severity text not null check (severity in ('info', 'success', 'warning', 'error')),
  actor_kind text not null check (actor_kind in ('account', 'api_key', 'system')),
  actor_id text,
  actor_label text not null,
  -- Slugs, not an id: they never change.
  project_owner text,
  project_slug text,
  subject_kind text not null,
  subject_id text not null,
  subject_label text not null,
  message text not null,
  data jsonb not null default '{}',
  request_id text,
  archived_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (id, created_at),
  constraint activity_project_is_whole check (num_nulls(project_owner, project_slug) in (0, 2))
) partition by range (created_at);
create index activity_by_account on activity (account_id, created_at desc, id desc);
create index activity_open_by_account on activity (account_id, created_at desc, id desc) where archived_at is null;
-- One key, or one signed-in user. What the service did by itself has no actor.
create index activity_by_actor on activity (account_id, actor_id, created_at desc, id desc) where actor_id is not null;

create function activity_is_immutable() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and (to_jsonb(old) - 'archived_at') = (to_jsonb(new) - 'archived_at') then
    return new;
  end if;
  raise exception 'activity rows are immutable';
end $$;
create trigger activity_is_immutable before update or delete on activity
  for each row execute function activity_is_immutable();

create table activity_other partition of activity default;
select add_month('activity', 'time', (month_of(now()) + make_interval(months => ahead))::date)
  from generate_series(0, 2) as ahead;
