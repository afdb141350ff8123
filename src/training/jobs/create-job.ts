import type { Actor } from '#activity';
import { beginCalls, tooFewCredits } from '#calls';
import type { Datasets, DatasetVersion } from '#datasets';
import type { Database, Sql } from '#db';
import { fault, type Micro, newId } from '#kernel';
import { refuseFullStorage } from '#limits';
import type { ProjectSeen } from '#projects';
import { appendLogs } from '../logs/logs.store.ts';
import type { JobEstimate, JobPlan, TrainingJob } from './job.ts';
import { countLiveJobsOfAccount, findJob, insertAttempt, insertJob } from './jobs.store.ts';

export type CreateJobDeps = {
  database: Database;
  datasets: Pick<Datasets, 'freezeVersion'>;
  maxActiveJobs: number;
};

export type JobAuthor = { actor: Actor; requestId: string };

/**
 * Freezes the data of a job, where it has no version yet. This takes a while, so it is done before the transaction
 * that makes the job; if no job is made, the version simply stays.
 */
export async function freezeData(
  { database, datasets }: Pick<CreateJobDeps, 'database' | 'datasets'>,
  { dataset, version }: Pick<JobPlan, 'dataset' | 'version'>,
  { project, author }: { project: ProjectSeen; author: JobAuthor },
): Promise<DatasetVersion> {
  if (version) return version;
  const frozen = await database.transaction((tx) =>
    datasets.freezeVersion(tx, {
      datasetId: dataset.id,
      source: { kind: 'training', id: null },
      author: {
        ...author,
        accountId: project.accountId,
        project: { ownerSlug: project.ownerSlug, slug: project.slug },
      },
    }),
  );
  return frozen.version;
}

/** Makes the job and holds what it may cost. Throws `insufficient_credits` and `rate_limited`. */
export async function createJob(
  tx: Sql,
  deps: Pick<CreateJobDeps, 'maxActiveJobs'>,
  {
    plan,
    version,
    project,
    author,
  }: { plan: JobPlan; version: DatasetVersion; project: ProjectSeen; author: JobAuthor },
): Promise<TrainingJob> {
  const { accountId } = project;
  const jobId = newId('job');
  await holdFor(tx, { jobId, attempt: 1, accountId, estimate: plan.estimate });
  await refuseFullStorage(tx, accountId);
  await refuseTooMany(tx, accountId, deps.maxActiveJobs);
  await insertJob(tx, { id: jobId, project, plan, versionId: version.id, createdBy: author.actor });
  await insertAttempt(tx, { jobId, attempt: 1 }, { resumedFrom: null, estimate: plan.estimate });
  await appendLogs(tx, { jobId, attempt: 1 }, [
    { level: 'info', source: 'system', message: 'The job waits for a worker.', data: { dataset_version: version.id } },
  ]);
  const job = await findJob(tx, { projectId: project.id, id: jobId });
  if (!job) throw new Error('A job was inserted and is not there. This is a bug.');
  return job;
}

export const trainingOperation = 'training_jobs.run';

/** The call that holds the credits of an attempt. It belongs to the job: no death of a server ends it. */
export const callIdOf = ({ jobId, attempt }: { jobId: string; attempt: number }): string => `${jobId}/${attempt}`;

/** Reserves the most that an attempt may cost. The account is locked by it until the transaction ends. */
export async function holdFor(
  tx: Sql,
  { jobId, attempt, accountId, estimate }: { jobId: string; attempt: number; accountId: string; estimate: JobEstimate },
): Promise<void> {
  const heldMicro: Micro = estimate.micro.high;
  const call = {
    operation: trainingOperation,
    projectId: null,
    keyId: null,
    model: null,
    limits: null,
    idempotency: null,
  };
  const requestId = callIdOf({ jobId, attempt });
  const [begun] = await beginCalls(tx, [{ ...call, requestId, accountId, heldMicro }], { serverId: null });
  if (begun?.outcome === 'insufficient')
    throw tooFewCredits('This training', { required: heldMicro, available: begun.availableMicro });
}

/** The account is locked: of several at once, each sees those before it. */
export async function refuseTooMany(tx: Sql, accountId: string, most: number): Promise<void> {
  const live = await countLiveJobsOfAccount(tx, accountId);
  if (live < most) return;
  throw fault('rate_limited', {
    message: `Your account has ${live} training jobs that are not over, and may have ${most}. Wait for one to end, or cancel it.`,
    details: { reason: 'active_job_limit', limit: most, actual: live },
    retryAfterSeconds: 60,
  });
}
