import { type Actor, type Happening, recordActivity } from '#activity';
import { billingUnitMs, billingUnits, endCall, voidCalls } from '#calls';
import type { Database, Sql } from '#db';
import { fault } from '#kernel';
import { appendLogs, type LogLevel } from '../logs/logs.store.ts';
import { callIdOf, type JobAuthor, trainingOperation } from './create-job.ts';
import type { JobError, TrainingJob } from './job.ts';
import { discardCheckpoints, listCancelableJobs, lockJob } from './jobs.store.ts';
import {
  hints,
  isFinal,
  isRetryable,
  type JobEvent,
  type JobTransition,
  transition,
  workedStates,
} from './lifecycle.ts';
import {
  endAttempt,
  findAttemptTime,
  type JobChange,
  noteAttemptStart,
  noteTrained,
  writeTransition,
} from './transitions.store.ts';

export type TransitionContext = {
  actor?: Actor;
  requestId?: string;
  message?: string;
  hint?: string | null;
  /** No activity is recorded: it happens again every few seconds, until an unavailable service is back. */
  isSilent?: boolean;
  success?: NonNullable<JobChange['success']>;
};

/**
 * Applies an event to a locked job: its state, its hold, its log and the feed change in this transaction, or not at all.
 * Returns the job as it is then; null: the event does not apply to its state.
 */
export async function advance(
  tx: Sql,
  job: TrainingJob,
  event: JobEvent,
  context: TransitionContext = {},
): Promise<TrainingJob | null> {
  const after = transition(job, event);
  if (after === null) return null;
  const error = after.state === 'failed' ? await logFailure(tx, job, after, context) : null;
  const done = await writeTransition(tx, {
    id: job.id,
    from: job,
    to: after,
    isFinal: isFinal(after.state),
    isLeased: workedStates.some((state) => state === after.state),
    error,
    success: context.success ?? null,
  });
  if (!done) throw new Error(`${job.id} changed while it was locked. This is a bug.`);
  if (event.type === 'started') await noteAttemptStart(tx, job.id, job.attempt);
  if (event.type === 'trained') await noteTrained(tx, job.id, job.attempt);
  if (isFinal(after.state)) await close(tx, job, after, error);
  await report(tx, { job, after, event }, context);
  return lockJob(tx, job.id);
}

async function logFailure(
  tx: Sql,
  job: TrainingJob,
  { code }: JobTransition,
  why: TransitionContext,
): Promise<JobError> {
  const failure = code ?? 'internal_error';
  const message = why.message ?? 'The attempt failed.';
  const hint = why.hint ?? hints[failure];
  const data = { code: failure, hint };
  const logSeq = await appendLogs(tx, { jobId: job.id, attempt: job.attempt }, [
    { level: 'error', source: 'system', message, data },
  ]);
  return { code: failure, message, hint, retryable: isRetryable(failure), logSeq: Number(logSeq) };
}

async function close(tx: Sql, job: TrainingJob, after: JobTransition, error: JobError | null): Promise<void> {
  const { id: jobId, accountId, attempt } = job;
  if (after.money !== 'charge') {
    await voidCalls(tx, [callIdOf({ jobId, attempt })]);
    await endAttempt(tx, { jobId, attempt, state: after.state, billedMs: 0n, chargedMicro: 0n, error });
    return;
  }
  const activeMs = await findAttemptTime(tx, jobId, attempt);
  const { createdBy, projectId, baseModelId, rateMicroPerMinute, priceVersion, heldMicro } = job;
  const key =
    createdBy.kind === 'api_key' && createdBy.id !== null ? { id: createdBy.id, name: createdBy.label } : null;
  const chargedMicro = await endCall(tx, {
    charge: {
      type: 'training',
      callId: callIdOf({ jobId, attempt }),
      requestId: null,
      training: { jobId, attempt },
      accountId,
      keyId: key?.id ?? null,
      keyName: key?.name ?? null,
      projectId,
      operation: trainingOperation,
      modelRequested: baseModelId,
      modelServed: baseModelId,
      modelRevision: null,
      activeMs,
      rateMicroPerMinute,
      priceVersion,
      heldMicro,
      usage: null,
      outcome: after.state === 'failed' ? null : after.state === 'succeeded' ? 'succeeded' : 'canceled',
      note: error ? `Failed: ${error.code}` : null,
    },
    keyed: null,
  });
  const billedMs = billingUnits(activeMs) * BigInt(billingUnitMs);
  await endAttempt(tx, { jobId, attempt, state: after.state, billedMs, chargedMicro, error });
}

type AppliedEvent = { job: TrainingJob; after: JobTransition; event: JobEvent };

async function report(tx: Sql, applied: AppliedEvent, context: TransitionContext): Promise<void> {
  const line = lineOf(applied, context);
  const { job, after } = applied;
  if (line) {
    const { level, message, data = null } = line;
    await appendLogs(tx, { jobId: job.id, attempt: after.attempt }, [{ level, source: 'system', message, data }]);
  }
  const news = context.isSilent ? null : activityOf(applied, context);
  if (news) await recordJobActivity(tx, job, news, context);
}

type SystemLine = { level: LogLevel; message: string; data?: Record<string, unknown> };

function lineOf({ job, after, event }: AppliedEvent, { message }: TransitionContext): SystemLine | null {
  const info = (text: string, data?: Record<string, unknown>): SystemLine => ({
    level: 'info',
    message: text,
    ...(data ? { data } : {}),
  });
  // Whatever has ended it: nothing goes on.
  if (after.state === 'canceled') return info('The job was canceled.');
  switch (event.type) {
    case 'claimed':
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
    case 'released':
      return info(message ?? 'The server stops; the attempt goes on later.');
    case 'cancel_requested':
      return info('The job is being canceled.');
    case 'retried':
      return info(`Attempt ${after.attempt} waits for a worker.`);
    case 'stopped':
    case 'failed':
    case 'checkpointed':
      return null;
  }
}

type JobActivity = Pick<Happening, 'type' | 'message'> & {
  severity?: Happening['severity'];
  data?: Record<string, unknown>;
};

function activityOf({ job, after, event }: AppliedEvent, { message }: TransitionContext): JobActivity | null {
  const name = `The training job "${job.name}"`;
  if (event.type === 'retried') return { type: 'training.retried', message: `${name} is tried again.` };
  if (event.type === 'started')
    return job.hasStarted ? null : { type: 'training.started', message: `${name} has started.` };
  if (after.state === 'succeeded')
    return { type: 'training.succeeded', severity: 'success', message: `${name} has succeeded.` };
  if (after.state === 'canceled') return { type: 'training.canceled', message: `${name} was canceled.` };
  if (after.state === 'failed')
    return {
      type: 'training.failed',
      severity: 'error',
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

async function recordJobActivity(
  tx: Sql,
  job: Pick<TrainingJob, 'id' | 'name' | 'accountId' | 'ownerSlug' | 'projectSlug' | 'attempt'>,
  { data = {}, severity, ...activity }: JobActivity,
  { actor, requestId }: Pick<TransitionContext, 'actor' | 'requestId'>,
): Promise<void> {
  await recordActivity(tx, {
    ...activity,
    ...(severity ? { severity } : {}),
    accountId: job.accountId,
    actor,
    project: { ownerSlug: job.ownerSlug, slug: job.projectSlug },
    subject: { kind: 'training_job', id: job.id, label: job.name },
    data: { attempt: job.attempt, ...data },
    requestId,
  });
}

/**
 * Cancels a locked job: at once where nobody works on it, else as soon as its worker hears of it. What was canceled, or is
 * about to be, stays so. Throws `state_conflict` where it is too late.
 */
export async function cancelJob(
  tx: Sql,
  job: TrainingJob,
  { keepCheckpoint, author }: { keepCheckpoint: boolean; author: JobAuthor },
): Promise<TrainingJob> {
  if (job.state === 'canceled' || job.state === 'canceling') return job;
  const canceled = await advance(tx, job, { type: 'cancel_requested' }, author);
  if (!canceled) {
    throw fault('state_conflict', {
      message: job.state === 'saving' ? 'Training is done; the result is being saved.' : 'The job is over.',
      details: { state: job.state, allowed_from: ['queued', 'preparing', 'running', 'interrupted'] },
    });
  }
  if (!keepCheckpoint) await discardCheckpoints(tx, job.id);
  return canceled;
}

/** Cancels the jobs of a project, each in a transaction of its own. One whose result is being saved ends by itself. */
export async function cancelJobsIn(database: Database, projectId: string): Promise<void> {
  for (const id of await listCancelableJobs(database, projectId))
    await database.transaction(async (tx) => {
      const job = await lockJob(tx, id);
      if (job) await advance(tx, job, { type: 'cancel_requested' });
    });
}
