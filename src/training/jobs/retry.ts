import { balanceOf } from '#billing';
import type { Sql } from '#db';
import { fault, type Micro } from '#kernel';
import type { BaseModel, ModelsService } from '#models';
import { estimateJob, estimateRest, estimateSteps } from '../settings/estimate.ts';
import { listStoredCheckpoints } from '../supervise/checkpoints.store.ts';
import { advance } from './advance.ts';
import { holdFor, type JobAuthor, refuseTooMany } from './create-job.ts';
import type { JobEstimate, ResumePoint, TrainingJob } from './job.ts';
import { findMsPerToken, findVersionCounts, insertAttempt } from './jobs.store.ts';
import { isFinal } from './lifecycle.ts';

export type RetryFrom = 'checkpoint' | 'start';
export type RetryBlockReason = 'not_finished' | 'succeeded' | 'base_model_unavailable' | 'insufficient_credits';

export type RetryEstimate = {
  blockedReason: RetryBlockReason | null;
  from: RetryFrom;
  checkpoint: SavedPoint | null;
  remainingSteps: number;
  estimate: JobEstimate;
  availableMicro: Micro;
};

/** The point alone is what an attempt remembers of where it began. */
type SavedPoint = { point: ResumePoint; savedAt: Date };

type RetryDeps = { models: ModelsService; maxActiveJobs: number };

/** Why a job cannot be tried again, apart from credits. */
export function blockOf(
  job: TrainingJob,
  models: Pick<ModelsService, 'find' | 'trainingProfile'>,
): RetryBlockReason | null {
  if (!isFinal(job.state)) return 'not_finished';
  if (job.state === 'succeeded') return 'succeeded';
  return isBaseThere(job, models.find(job.baseModelId), models) ? null : 'base_model_unavailable';
}

function isBaseThere(
  { baseModelId, baseSha256 }: TrainingJob,
  base: BaseModel | undefined,
  models: Pick<ModelsService, 'trainingProfile'>,
): boolean {
  return base?.installed?.sha256 === baseSha256 && models.trainingProfile(baseModelId)?.weightsFolder != null;
}

export async function estimateRetry(
  sql: Sql,
  { models }: Pick<RetryDeps, 'models'>,
  job: TrainingJob,
  from: RetryFrom,
): Promise<RetryEstimate> {
  const checkpoint = from === 'checkpoint' ? await newestCheckpoint(sql, job.id) : null;
  const counts = await findVersionCounts(sql, job.datasetVersionId);
  const { hyperparameters, rateMicroPerMinute } = job;
  const totalSteps = job.progress?.totalSteps ?? estimateSteps({ trainCount: counts.trainCount, hyperparameters });
  const remainingSteps = Math.max(0, totalSteps - (checkpoint?.point.step ?? 0));
  const msPerStep = msPerStepOf(job);
  const estimate =
    msPerStep === null
      ? estimateJob({
          parameters: models.find(job.baseModelId)?.parameters ?? 0,
          ...counts,
          hyperparameters,
          rateMicroPerMinute,
          ...(await controlCountsOf(sql, job)),
          measuredMsPerToken: await findMsPerToken(sql, job.baseModelId),
          doneShare: 1 - remainingSteps / Math.max(1, totalSteps),
        })
      : estimateRest({ remainingSteps, msPerStep }, rateMicroPerMinute);
  const { availableMicro } = await balanceOf(sql, job.accountId);
  const lacksCredits = availableMicro < estimate.micro.high;
  const blockedReason = blockOf(job, models) ?? (lacksCredits ? 'insufficient_credits' : null);
  return { blockedReason, from, checkpoint, remainingSteps, estimate, availableMicro };
}

/** What a step of its last attempt took; null: it made none. */
function msPerStepOf({ progress, resumedFrom, attemptMs }: TrainingJob): number | null {
  const steps = (progress?.step ?? 0) - (resumedFrom?.step ?? 0);
  return steps > 0 && attemptMs > 0 ? attemptMs / steps : null;
}

/** The control set is read, and learned along, by every attempt. */
async function controlCountsOf(sql: Sql, { evaluation: { control } }: TrainingJob) {
  if (!control) return {};
  const { trainCount, testCount } = await findVersionCounts(sql, control.versionId);
  return { replayRatio: control.replayRatio, controlCount: trainCount + testCount };
}

async function newestCheckpoint(sql: Sql, jobId: string): Promise<SavedPoint | null> {
  const [newest] = await listStoredCheckpoints(sql, jobId);
  if (!newest) return null;
  const { attempt, step, name, createdAt } = newest;
  return { point: { attempt, step, name }, savedAt: createdAt };
}

/**
 * Another attempt with the same data and the same settings, from the newest checkpoint or from the beginning. The job is
 * locked. Throws `state_conflict`, `insufficient_credits`, `rate_limited`.
 */
export async function retryJob(
  tx: Sql,
  deps: RetryDeps,
  { job, from, author }: { job: TrainingJob; from: RetryFrom; author: JobAuthor },
): Promise<TrainingJob> {
  const { estimate, checkpoint, blockedReason } = await estimateRetry(tx, deps, job, from);
  if (blockedReason !== null && blockedReason !== 'insufficient_credits') {
    throw fault('state_conflict', {
      message: blockMessages[blockedReason],
      details: { reason: blockedReason, state: job.state, allowed_from: ['failed', 'canceled'] },
    });
  }
  const attempt = { jobId: job.id, attempt: job.attempt + 1 };
  await holdFor(tx, { ...attempt, accountId: job.accountId, estimate });
  await refuseTooMany(tx, job.accountId, deps.maxActiveJobs);
  await insertAttempt(tx, attempt, { resumedFrom: checkpoint?.point ?? null, estimate });
  const retried = await advance(tx, job, { type: 'retried' }, author);
  if (!retried) throw new Error(`${job.id} can be retried and cannot. This is a bug.`);
  return retried;
}

const blockMessages: Record<Exclude<RetryBlockReason, 'insufficient_credits'>, string> = {
  not_finished: 'The job is not over; it can be tried again once it has failed or was canceled.',
  succeeded: 'The job has succeeded. Make a new one to train again.',
  base_model_unavailable: 'The base model that the job was made for is not installed any more.',
};
