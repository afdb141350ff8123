import { type Actor, type Happening, recordActivity, systemActor } from '#activity';
import { releaseTrainingHold, settleTraining } from '#billing';
import type { Sql } from '#db';
import { billingUnitMs, billingUnits } from '#kernel';
import { appendLogs, type LogLevel } from '../logs/logs.store.ts';
import { hints, isRetryable } from './failures.ts';
import type { JobError, TrainingJob } from './job.ts';
import { lockJob } from './jobs.store.ts';
import { endAttempt, findAttemptTime, type LifeChange, noteStart, noteTrained, writeLife } from './life.store.ts';
import { isFinal, type LifeEvent, type Next, next, workedStates } from './lifecycle.ts';

export type Circumstances = {
  /** Who did it; default: the program. */
  actor?: Actor;
  requestId?: string;
  /** Why it failed or was lost. */
  message?: string;
  hint?: string | null;
  /** The feed is told nothing: it happens again every few seconds, until what is needed is back. */
  isSilent?: boolean;
  success?: NonNullable<LifeChange['success']>;
};

/**
 * Lets something happen to a locked job: its state, its money, its log and the feed change in this transaction, or not at
 * all. Returns the job as it is then; null: it cannot happen to it now.
 */
export async function advance(
  tx: Sql,
  job: TrainingJob,
  event: LifeEvent,
  circumstances: Circumstances = {},
): Promise<TrainingJob | null> {
  const after = next(job, event);
  if (after === null) return null;
  const error = after.state === 'failed' ? await tellFailure(tx, job, after, circumstances) : null;
  const done = await writeLife(tx, {
    id: job.id,
    from: job,
    to: after,
    isFinal: isFinal(after.state),
    isLeased: workedStates.some((state) => state === after.state),
    error,
    success: circumstances.success ?? null,
  });
  if (!done) throw new Error(`${job.id} changed while it was locked. This is a bug.`);
  if (event.type === 'started') await noteStart(tx, job.id, job.attempt);
  if (event.type === 'trained') await noteTrained(tx, job.id, job.attempt);
  if (isFinal(after.state)) await close(tx, job, after, error);
  await tell(tx, { job, after, event }, circumstances);
  return lockJob(tx, job.id);
}

/** The line that tells of a failure, whose number its owner is given. */
async function tellFailure(tx: Sql, job: TrainingJob, { code }: Next, why: Circumstances): Promise<JobError> {
  const failure = code ?? 'internal_error';
  const message = why.message ?? 'The attempt failed.';
  const hint = why.hint ?? hints[failure];
  const data = { code: failure, hint };
  const logSeq = await appendLogs(tx, { jobId: job.id, attempt: job.attempt }, [
    { level: 'error', source: 'system', message, data },
  ]);
  return { code: failure, message, hint, retryable: isRetryable(failure), logSeq: Number(logSeq) };
}

/** Settles the attempt that is over. */
async function close(tx: Sql, job: TrainingJob, after: Next, error: JobError | null): Promise<void> {
  const { id: jobId, accountId, attempt } = job;
  if (after.money !== 'charge') {
    await releaseTrainingHold(tx, { jobId, attempt, accountId });
    await endAttempt(tx, { jobId, attempt, state: after.state, billedMs: 0n, chargedMicro: 0n, error });
    return;
  }
  const activeMs = await findAttemptTime(tx, jobId, attempt);
  const { createdBy, projectId, baseModelId, rateMicroPerMinute, priceVersion, heldMicro } = job;
  const chargedMicro = await settleTraining(tx, {
    ...{ jobId, attempt, accountId, projectId, baseModelId, activeMs, rateMicroPerMinute, priceVersion, heldMicro },
    key: createdBy.kind === 'api_key' && createdBy.id !== null ? { id: createdBy.id, name: createdBy.label } : null,
    outcome: after.state === 'failed' ? null : after.state === 'succeeded' ? 'succeeded' : 'canceled',
    note: error ? `Failed: ${error.code}` : null,
  });
  const billedMs = billingUnits(activeMs) * BigInt(billingUnitMs);
  await endAttempt(tx, { jobId, attempt, state: after.state, billedMs, chargedMicro, error });
}

type Happened = { job: TrainingJob; after: Next; event: LifeEvent };

async function tell(tx: Sql, happened: Happened, circumstances: Circumstances): Promise<void> {
  const line = lineOf(happened, circumstances);
  const { job, after } = happened;
  if (line) {
    const { level, message, data = null } = line;
    await appendLogs(tx, { jobId: job.id, attempt: after.attempt }, [{ level, source: 'system', message, data }]);
  }
  const news = circumstances.isSilent ? null : newsOf(happened, circumstances);
  if (news) await tellFeed(tx, job, news, circumstances);
}

type Line = { level: LogLevel; message: string; data?: Record<string, unknown> };

function lineOf({ job, after, event }: Happened, { message }: Circumstances): Line | null {
  const info = (text: string, data?: Record<string, unknown>): Line => ({
    level: 'info',
    message: text,
    ...(data ? { data } : {}),
  });
  // Whatever has ended it: nothing goes on.
  if (after.state === 'canceled') return info('The job was canceled.');
  switch (event.type) {
    case 'taken':
      return info(job.state === 'queued' ? 'A worker has taken the job.' : 'A worker goes on with the job.');
    case 'started':
      return job.hasStarted ? null : info('Training has started; active time is charged from now on.');
    case 'trained':
      return info('Training is done. The adapter is being checked and saved.');
    case 'published':
      return info('The job has succeeded.', { model: `training-job#${job.id}` });
    case 'lost':
    case 'crashed': {
      if (after.state === 'failed') return null;
      const reason = message ?? 'The worker is gone.';
      return {
        level: 'warn',
        message: `${reason} The attempt goes on by itself.`,
        data: { losses: after.interruptions },
      };
    }
    case 'put_down':
      return info(message ?? 'The server stops; the attempt goes on later.');
    case 'cancel_asked':
      return info('The job is being canceled.');
    case 'retried':
      return info(`Attempt ${after.attempt} waits for a worker.`);
    case 'stopped':
    case 'failed':
    case 'advanced':
      return null;
  }
}

type News = Pick<Happening, 'type' | 'message'> & { severity?: Happening['severity']; data?: Record<string, unknown> };

function newsOf({ job, after, event }: Happened, { message }: Circumstances): News | null {
  const name = `The training job "${job.name}"`;
  if (event.type === 'retried') return { type: 'training.retried', message: `${name} is tried again.` };
  if (event.type === 'started')
    return job.hasStarted ? null : { type: 'training.started', message: `${name} has started.` };
  if (after.state === 'succeeded')
    return { type: 'training.succeeded', severity: 'success', message: `${name} has succeeded.` };
  if (after.state === 'canceled') return { type: 'training.canceled', message: `${name} was canceled.` };
  if (after.state === 'failed')
    return {
      ...{ type: 'training.failed', severity: 'error' },
      message: `${name} has failed: ${message ?? 'it is not known why.'}`,
      data: { code: after.code },
    };
  if (after.state === 'interrupted')
    return {
      type: 'training.interrupted',
      severity: 'warning',
      message: `${name} was interrupted and goes on by itself.`,
    };
  return null;
}

/** Writes into the feed of the job's owner. */
async function tellFeed(
  tx: Sql,
  job: Pick<TrainingJob, 'id' | 'name' | 'accountId' | 'ownerSlug' | 'projectSlug' | 'attempt'>,
  { data = {}, severity, ...news }: News,
  { actor = systemActor, requestId }: Pick<Circumstances, 'actor' | 'requestId'>,
): Promise<void> {
  await recordActivity(tx, {
    ...news,
    ...(severity ? { severity } : {}),
    accountId: job.accountId,
    actor,
    project: { ownerSlug: job.ownerSlug, slug: job.projectSlug },
    subject: { kind: 'training_job', id: job.id, label: job.name },
    data: { attempt: job.attempt, ...data },
    ...(requestId === undefined ? {} : { requestId }),
  });
}
