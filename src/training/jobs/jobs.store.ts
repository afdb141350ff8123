import { type Sql, timeText } from '#db';
import { foldText, type Listed, type ListPosition, newId } from '#kernel';
import type { ProjectSeen } from '#projects';
import type { AttemptName, JobAttempt, JobCreator, JobEstimate, JobPlan, ResumePoint, TrainingJob } from './job.ts';
import type { JobState } from './lifecycle.ts';

const columns = `j.id, j.project_id as "projectId", j.account_id as "accountId", o.slug as "ownerSlug",
  p.slug as "projectSlug", j.name, j.kind, j.base_model_id as "baseModelId", j.base_sha256 as "baseSha256",
  j.dataset_id as "datasetId", j.dataset_version_id as "datasetVersionId", v.sha256 as "datasetSha256", j.hyperparameters,
  j.evaluation, j.deploy, j.state, j.attempt, j.interruptions, j.crashes, j.phase, j.progress, j.error, j.result, j.snapshot,
  j.adapter_sha256 as "adapterSha256", j.archive_sha256 as "archiveSha256", j.archive_bytes as "archiveBytes",
  j.rate_micro_per_minute as "rateMicroPerMinute", j.price_version as "priceVersion", j.log_seq as "logSeq",
  j.lease_holder as "leaseHolder", j.created_by as "createdBy", j.created_at as "createdAt", j.started_at as "startedAt",
  j.finished_at as "finishedAt", j.updated_at as "updatedAt",
  case when j.state = 'queued' then (
    select count(*)::integer from training_jobs w
     where w.finished_at is null and w.state = 'queued' and (w.queue_round, w.queued_at, w.id) <= (j.queue_round, j.queued_at, j.id)) end as "queuePosition",
  coalesce((select array_agg(h.alias order by h.alias) from hosted_models h
    where h.project_id = j.project_id and h.target_type = 'training_job' and h.target_id = j.id), '{}') as "deployedAs",
  a.started_at is not null as "hasStarted", a.held_micro as "heldMicro", a.trained, a.restart,
  a.begun_restart as "begunRestart", a.steps as "furthestStep", a.redone_ms as "redoneMs",
  coalesce((a.estimate->'activeMs'->>'high')::float8, 0) as "estimatedMs", a.active_ms as "attemptMs", a.resumed_from as "resumedFrom",
  a.trainer_seq as "trainerSeq", a.trainer_line as "trainerLine",
  s.active_ms as "activeMs", s.billed_ms as "billedMs", s.charged_micro as "chargedMicro"`;

const tables = `training_jobs j
  join projects p on p.id = j.project_id
  join accounts o on o.id = j.account_id
  join dataset_versions v on v.id = j.dataset_version_id
  join training_attempts a on a.job_id = j.id and a.number = j.attempt
  cross join lateral (
    select sum(active_ms) as active_ms, coalesce(sum(billed_ms), 0)::bigint as billed_ms,
           coalesce(sum(charged_micro), 0)::bigint as charged_micro
      from training_attempts t where t.job_id = j.id) s`;

export async function findJob(
  sql: Sql,
  { projectId, id }: { projectId: string; id: string },
): Promise<TrainingJob | null> {
  const [row] = await sql.query<TrainingJob>(
    `select ${columns} from ${tables} where j.id = $1 and j.project_id = $2`,
    [id, projectId],
    { name: 'training.find' },
  );
  return row ?? null;
}

/** The job, locked until the transaction ends: what is decided about it holds. */
export async function lockJob(tx: Sql, id: string): Promise<TrainingJob | null> {
  const locked = await tx.query('select from training_jobs where id = $1 for no key update', [id]);
  if (locked.length === 0) return null;
  const [row] = await tx.query<TrainingJob>(`select ${columns} from ${tables} where j.id = $1`, [id], {
    name: 'training.locked',
  });
  return row ?? null;
}

/**
 * The round in which a queued job starts: one after the latest of its account, and after the current round, as for other
 * background work (`nextQueueRound` of the room `jobs`).
 * @param account an SQL expression.
 */
export const nextQueueRound = (account: string) => `1 + greatest(
  (select max(w.queue_round) from training_jobs w where w.finished_at is null and w.account_id = ${account}),
  coalesce((select max(w.queue_round) from training_jobs w where w.finished_at is null and w.state <> 'queued'),
           (select min(w.queue_round) - 1 from training_jobs w where w.finished_at is null), 0))`;

type NewJob = { id: string; project: ProjectSeen; plan: JobPlan; versionId: string; createdBy: JobCreator };

export async function insertJob(tx: Sql, { id, project, plan, versionId, createdBy }: NewJob): Promise<void> {
  await tx.query(
    `insert into training_jobs (id, project_id, account_id, name, search_text, kind, base_model_id, base_sha256, dataset_id,
       dataset_version_id, hyperparameters, evaluation, deploy, rate_micro_per_minute, price_version, created_by, queue_round)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, ${nextQueueRound('$3')})`,
    [
      id,
      project.id,
      project.accountId,
      plan.name,
      foldText(plan.name),
      project.kind,
      plan.baseModel.id,
      plan.baseModel.installed.sha256,
      plan.dataset.id,
      versionId,
      JSON.stringify(plan.hyperparameters),
      JSON.stringify(plan.evaluation),
      plan.deploy && JSON.stringify(plan.deploy),
      plan.rateMicroPerMinute,
      plan.priceVersion,
      JSON.stringify(createdBy),
    ],
  );
}

export async function insertAttempt(
  tx: Sql,
  { jobId, attempt }: AttemptName,
  { resumedFrom, estimate }: { resumedFrom: ResumePoint | null; estimate: JobEstimate },
): Promise<void> {
  const { activeMs, basis, micro } = estimate;
  await tx.query(
    `insert into training_attempts (job_id, number, id, resumed_from, estimate, held_micro) values ($1, $2, $3, $4, $5, $6)`,
    [
      jobId,
      attempt,
      newId('att'),
      resumedFrom && JSON.stringify(resumedFrom),
      JSON.stringify({ activeMs, basis }),
      micro.high,
    ],
  );
}

/** `q` is folded text; null: does not matter. */
export type JobFilter = {
  projectId: string;
  state: JobState | null;
  baseModelId: string | null;
  datasetId: string | null;
  q: string | null;
};

const matches = `j.project_id = $1 and ($2::text is null or j.state = $2) and ($3::text is null or j.base_model_id = $3)
  and ($4::text is null or j.dataset_id = $4) and ($5::text is null or position($5 in j.search_text) > 0)`;

export function listJobs(
  sql: Sql,
  { projectId, state, baseModelId, datasetId, q }: JobFilter,
  { after, limit }: { after: ListPosition; limit: number },
): Promise<Listed<TrainingJob>[]> {
  return sql.query(
    `select ${columns}, ${timeText('j.created_at')} as position
       from ${tables}
      where ${matches} and (j.created_at, j.id) < ($6::timestamptz, $7)
      order by j.created_at desc, j.id desc limit $8`,
    [projectId, state, baseModelId, datasetId, q, after.createdAt, after.id, limit],
  );
}

export async function countJobs(sql: Sql, { projectId, state, baseModelId, datasetId, q }: JobFilter): Promise<number> {
  const [row] = await sql.query<{ total: number }>(
    `select count(*)::integer as total from training_jobs j where ${matches}`,
    [projectId, state, baseModelId, datasetId, q],
  );
  return row?.total ?? 0;
}

export async function countLiveJobs(sql: Sql, projectId: string): Promise<number> {
  const [row] = await sql.query<{ live: number }>(
    'select count(*)::integer as live from training_jobs where project_id = $1 and finished_at is null',
    [projectId],
  );
  return row?.live ?? 0;
}

/** Jobs of a project that can be cancelled. */
export async function listCancelableJobs(sql: Sql, projectId: string): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    `select id from training_jobs
      where project_id = $1 and finished_at is null and state in ('queued', 'preparing', 'running', 'interrupted') order by id`,
    [projectId],
  );
  return rows.map(({ id }) => id);
}

export async function countLiveJobsOfAccount(sql: Sql, accountId: string): Promise<number> {
  const [row] = await sql.query<{ live: number }>(
    'select count(*)::integer as live from training_jobs where account_id = $1 and finished_at is null',
    [accountId],
  );
  return row?.live ?? 0;
}

/** Jobs of any project that still need a base model; `models remove` asks. */
export function listLiveJobsByBase(sql: Sql, baseModelId: string): Promise<{ id: string; name: string }[]> {
  return sql.query(
    'select id, name from training_jobs where base_model_id = $1 and finished_at is null order by created_at, id limit 10',
    [baseModelId],
  );
}

export function listAttempts(
  sql: Sql,
  jobId: string,
  { before, limit }: { before: number | null; limit: number },
): Promise<JobAttempt[]> {
  return sql.query<JobAttempt>(
    `select a.number, case when a.number = j.attempt then j.state else a.state end as state,
            a.resumed_from as "resumedFrom", a.created_at as "createdAt", a.started_at as "startedAt",
            a.finished_at as "finishedAt", a.active_ms as "activeMs", a.billed_ms as "billedMs",
            a.charged_micro as "chargedMicro", a.steps, a.error,
            coalesce((select json_agg(json_build_object('step', c.step, 'loss', c.loss, 'evalLoss', c.eval_loss,
                'sizeBytes', c.size_bytes, 'createdAt', c.created_at) order by c.step)
              from training_checkpoints c
             where c.job_id = a.job_id and c.attempt = a.number and c.removed_at is null), '[]') as checkpoints
       from training_attempts a join training_jobs j on j.id = a.job_id
      where a.job_id = $1 and ($2::integer is null or a.number < $2) order by a.number desc limit $3`,
    [jobId, before, limit],
  );
}

/** Median training time per token of the latest jobs, ms; null: nothing was trained on this base model. */
export async function findMsPerToken(sql: Sql, baseModelId: string): Promise<number | null> {
  const [row] = await sql.query<{ ms: number | null }>(
    `select percentile_cont(0.5) within group (order by ms) as ms from (
       select a.active_ms / (j.progress->>'tokensSeen')::float8 as ms
         from training_jobs j join training_attempts a on a.job_id = j.id and a.number = j.attempt
        where j.base_model_id = $1 and j.state = 'succeeded' and (j.progress->>'tokensSeen')::float8 > 0
        order by j.finished_at desc limit 10) latest`,
    [baseModelId],
  );
  return row?.ms ?? null;
}

export async function findVersionCounts(
  sql: Sql,
  versionId: string,
): Promise<{ trainCount: number; testCount: number; tokens: number }> {
  const [row] = await sql.query<{ trainCount: number; testCount: number; tokens: number }>(
    `select train_count as "trainCount", test_count as "testCount", (token_stats->>'total')::float8 as tokens
       from dataset_versions where id = $1`,
    [versionId],
  );
  return row ?? { trainCount: 0, testCount: 0, tokens: 0 };
}

/** Once the job is over, maintenance removes its checkpoints. */
export async function discardCheckpoints(tx: Sql, jobId: string): Promise<void> {
  await tx.query('update training_jobs set keeps_checkpoints = false where id = $1', [jobId]);
}

const maxActive = 5;
const projectJson = `json_build_object('owner', o.slug, 'slug', p.slug) as project`;
const overviewTables = 'training_jobs j join projects p on p.id = j.project_id join accounts o on o.id = j.account_id';

type ActiveJob = {
  id: string;
  name: string;
  project: { owner: string; slug: string };
  state: string;
  percent: number | null;
};
type SucceededJob = { id: string; name: string; project: { owner: string; slug: string }; finishedAt: Date };

export async function readTrainingOverview(sql: Sql, { accountId, since }: { accountId: string; since: Date }) {
  const [active, [lastSucceeded = null], [counts]] = await Promise.all([
    sql.query<ActiveJob>(
      `select j.id, j.name, ${projectJson}, j.state,
              round(100.0 * coalesce((j.progress->>'step')::integer, 0) / nullif((j.progress->>'totalSteps')::integer, 0), 1)::float8 as percent
         from ${overviewTables} where j.account_id = $1 and j.finished_at is null and j.state <> 'queued'
        order by j.queued_at, j.id limit ${maxActive}`,
      [accountId],
    ),
    sql.query<SucceededJob>(
      `select j.id, j.name, ${projectJson}, j.finished_at as "finishedAt"
         from ${overviewTables} where j.account_id = $1 and j.state = 'succeeded'
        order by j.finished_at desc, j.id desc limit 1`,
      [accountId],
    ),
    sql.query<{ queued: number; failedInWindow: number; hasAny: boolean }>(
      `select count(*) filter (where j.state = 'queued')::integer as queued,
              count(*) filter (where j.state = 'failed' and j.finished_at >= $2)::integer as "failedInWindow",
              count(*) > 0 as "hasAny"
         from ${overviewTables} where j.account_id = $1`,
      [accountId, since],
    ),
  ]);
  return { active, lastSucceeded, ...(counts ?? { queued: 0, failedInWindow: 0, hasAny: false }) };
}
