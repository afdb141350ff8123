--! compatible
-- Of the interruptions since an attempt last got further, those in which the trainer was lost and its worker was not.
alter table training_jobs add column crashes integer not null default 0;
comment on column training_jobs.interruptions is 'Losses since the attempt last got further, whoever was lost.';
-- When somebody has to put the job behind its alias who has not ended it; null: that is done, or there is none.
alter table training_jobs add column deploy_at timestamptz;
create index training_jobs_to_deploy on training_jobs (deploy_at) where deploy_at is not null;
