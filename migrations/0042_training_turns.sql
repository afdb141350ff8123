--! compatible
-- Accounts have their jobs trained in turn (docs/adr/0023-training-jobs.md). Servers of the version before give turn 0 to what they make, and take what was
-- made first.
alter table training_jobs add column turn integer not null default 0;
drop index training_jobs_live;
create index training_jobs_live on training_jobs (turn, queued_at, id) where finished_at is null;
