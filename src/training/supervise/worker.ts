import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '#db';
import { Fault, isStorageFull, isUnavailableFault, OperatorError } from '#kernel';
import type { TrainingJob } from '../jobs/job.ts';
import { AttemptFailure } from '../jobs/lifecycle.ts';
import { findHello, readLastMetrics, resultPrefix } from '../logs/logs.store.ts';
import { noteArtifacts } from '../maintenance.store.ts';
import type { TrainedAttempt } from '../publish/publish.ts';
import { attemptFolder, hasResult, outName, removeAttempt } from './attempt-folder.ts';
import {
  applyEvent,
  type ClaimedJob,
  type LeasedJob,
  LeaseLost,
  startHeartbeat,
  type WorkerDeps,
  withLeasedJob,
} from './lease.ts';
import { runTrainers } from './run-trainers.ts';

/** Before a job that waits for the database or the object store is tried again. */
const unavailablePauseMs = 3_000;

/** Works on a job until it is over, or until somebody else has to go on with it. Rejects never. */
export async function work(deps: WorkerDeps, { job, lease }: ClaimedJob, stopping: AbortSignal): Promise<void> {
  const { database, timing, root } = deps;
  const canceled = new AbortController();
  const heartbeat = startHeartbeat({ database, lease, timing }, (state) => {
    if (state === 'canceling') canceled.abort();
  });
  const signal = AbortSignal.any([heartbeat.signal, stopping]);
  const leased = { lease, heartbeat, signal, canceled: canceled.signal, folder: attemptFolder(root, lease) };
  try {
    deps.onChange(job.id);
    await trainAndPublish(deps, leased, job);
  } catch (error) {
    await handleError(deps, leased, { error, stopping });
  } finally {
    await heartbeat.stop();
    deps.onChange(job.id);
  }
}

async function trainAndPublish(deps: WorkerDeps, leased: LeasedJob, job: TrainingJob): Promise<void> {
  const { lease, folder, signal } = leased;
  // If the trainer was done on another machine, its result is not here, and training has to finish once more.
  const isDone = job.trained && (await hasResult(folder));
  const trained = isDone ? await applyEvent(deps, leased, { type: 'trained' }) : await runTrainers(deps, leased, job);
  if (trained === null) return;
  // Recorded first, so that what is saved can be found and removed if nobody comes to use it.
  await withLeasedJob(deps, leased, (tx) => noteArtifacts(tx, lease, true));
  const success = await deps.publish(await readTrained(deps.database, trained, join(folder, outName)), signal);
  const done = await applyEvent(deps, leased, { type: 'published' }, { success });
  await removeAttempt(folder);
  if (done?.deploy) await deps.deploy(done);
}

async function readTrained(sql: Sql, job: TrainingJob, outFolder: string): Promise<TrainedAttempt> {
  const name = { jobId: job.id, attempt: job.attempt };
  if (!job.snapshot) throw new AttemptFailure('internal_error', 'The snapshot of the data is not known any more.');
  const [result, evaluated, baseline, versions] = await Promise.all([
    readLastMetrics(sql, name, resultPrefix),
    readLastMetrics(sql, name, 'eval.'),
    readLastMetrics(sql, name, 'baseline.'),
    findHello(sql, job.id, job.attempt),
  ]);
  // The weights that are kept are the best ones, which need not be those of the last evaluation on the way.
  const metrics = Object.keys(result).length > 0 ? result : evaluated;
  const baselineMetrics = Object.keys(baseline).length > 0 ? baseline : null;
  return { job, snapshot: job.snapshot, outFolder, metrics, baselineMetrics, versions };
}

async function handleError(
  deps: WorkerDeps,
  leased: LeasedJob,
  { error, stopping }: { error: unknown; stopping: AbortSignal },
): Promise<void> {
  const { log } = deps;
  const { lease, heartbeat, canceled } = leased;
  const fields = { err: error, job: lease.jobId, attempt: lease.attempt };
  if (error instanceof LeaseLost || heartbeat.signal.aborted) return log.warn(fields, 'training job lease lost');
  try {
    if (stopping.aborted) await applyEvent(deps, leased, { type: 'released' });
    // Where a trainer was done before it heard of the cancellation, there is nothing to stop any more.
    else if (canceled.aborted && (await applyEvent(deps, leased, { type: 'stopped' }))) return;
    else if (isUnavailableFault(error)) await releaseForLater(deps, leased, error);
    else await fail(deps, leased, error);
  } catch (cause) {
    // The lease expires; whoever takes the job then finds it as it is.
    log.warn({ ...fields, err: cause }, 'training job left to the next worker');
  }
}

/** Releases the job without counting a failure: it waits until the database or the object store is back. */
async function releaseForLater(deps: WorkerDeps, leased: LeasedJob, error: unknown): Promise<void> {
  deps.log.warn({ err: error, job: leased.lease.jobId }, 'training job waits for an unavailable service');
  await sleep(unavailablePauseMs, undefined, { signal: leased.signal }).catch(() => {});
  const message = 'A service that the work needs is unavailable; the attempt goes on later.';
  await applyEvent(deps, leased, { type: 'released' }, { message, isSilent: true });
}

async function fail(deps: WorkerDeps, leased: LeasedJob, error: unknown): Promise<void> {
  const { code, message, hint, cause } = toAttemptFailure(error);
  // Its owner reads what he can do; the details are for the operator.
  if (cause !== undefined) deps.log.warn({ err: cause, job: leased.lease.jobId, code }, 'training job failed');
  await applyEvent(deps, leased, { type: 'failed', code }, { message, hint });
  await removeAttempt(leased.folder);
}

function toAttemptFailure(cause: unknown): AttemptFailure {
  if (cause instanceof AttemptFailure) return cause;
  if (isStorageFull(cause))
    return new AttemptFailure('artifact_write_failed', 'The disk of the server is full.', { cause });
  if (cause instanceof OperatorError) {
    const message = `Training is not set up on this server. ${cause.message}`;
    return new AttemptFailure('internal_error', message, { hint: 'Its operator can mend that.', cause });
  }
  const message = cause instanceof Fault ? cause.message : 'The program failed for a reason that nobody expected.';
  return new AttemptFailure('internal_error', message, { cause });
}
