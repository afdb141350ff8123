import { setTimeout as sleep } from 'node:timers/promises';
import { Fault, isOutOfReach, isOutOfRoom, OperatorError } from '#kernel';
import { AttemptFailure } from '../jobs/failures.ts';
import type { TrainingJob } from '../jobs/job.ts';
import { noteArtifacts } from '../leftovers.store.ts';
import { attemptFolder, hasResult, outName, removeAttempt } from './attempt-folder.ts';
import type { Claimed } from './claim.ts';
import { type Hold, step, type WorkerDeps, withHeldJob } from './hold.ts';
import { keepLease } from './lease.ts';
import { readTrained } from './read-trained.ts';
import { runTrainers } from './run-trainers.ts';
import { LeaseLost } from './take-in.ts';

const outOfReachMs = 3_000;

/** Works on a job until it is over, or until somebody else has to go on with it. Rejects never. */
export async function work(deps: WorkerDeps, { job, holder }: Claimed, stopping: AbortSignal): Promise<void> {
  const held = { jobId: job.id, attempt: job.attempt, holder };
  const canceled = new AbortController();
  const lease = keepLease({ database: deps.database, held, timing: deps.timing }, (state) => {
    if (state === 'canceling') canceled.abort();
  });
  const hold: Hold = {
    ...{ held, lease, canceled: canceled.signal, folder: attemptFolder(deps.root, held) },
    signal: AbortSignal.any([lease.signal, stopping]),
  };
  try {
    deps.changed(job.id);
    await takeThrough(deps, hold, job);
  } catch (error) {
    await conclude(deps, hold, { error, stopping });
  } finally {
    await lease.stop();
    deps.changed(job.id);
  }
}

async function takeThrough(deps: WorkerDeps, hold: Hold, job: TrainingJob): Promise<void> {
  // If the trainer was done on another machine, its result is not here, and training has to finish once more.
  const isDone = job.trained && (await hasResult(hold.folder));
  const trained = isDone ? await step(deps, hold, { type: 'trained' }) : await runTrainers(deps, hold, job);
  if (trained === null) return;
  // Recorded first, so that what is saved can be found and removed if nobody comes to use it.
  await withHeldJob(deps, hold, (tx) => noteArtifacts(tx, hold.held, true));
  const published = await deps.publish(
    await readTrained(deps.database, trained, `${hold.folder}/${outName}`),
    hold.signal,
  );
  const { result, adapterSha256, archive } = published;
  const done = await step(deps, hold, { type: 'published' }, { success: { result, adapterSha256, archive } });
  await removeAttempt(hold.folder);
  if (done?.deploy) await deps.deploy(done);
}

/** What becomes of a job whose work has ended with an error. */
async function conclude(
  deps: WorkerDeps,
  hold: Hold,
  { error, stopping }: { error: unknown; stopping: AbortSignal },
): Promise<void> {
  const { log } = deps;
  const fields = { err: error, job: hold.held.jobId, attempt: hold.held.attempt };
  if (error instanceof LeaseLost || hold.lease.signal.aborted) return log.warn(fields, 'a training job was let go');
  try {
    if (stopping.aborted) await step(deps, hold, { type: 'put_down' });
    // Where a trainer was done before it heard of the cancellation, there is nothing to stop any more.
    else if (hold.canceled.aborted && (await step(deps, hold, { type: 'stopped' }))) return;
    else if (isOutOfReach(error)) await leaveForLater(deps, hold, error);
    else await fail(deps, hold, error);
  } catch (cause) {
    // The lease ends by itself; whoever takes the job then finds it as it is.
    log.warn({ ...fields, err: cause }, 'a training job was left to the next worker');
  }
}

/** Puts the job down without counting a failure: it waits until the database or the object store is back. */
async function leaveForLater(deps: WorkerDeps, hold: Hold, error: unknown): Promise<void> {
  deps.log.warn({ err: error, job: hold.held.jobId }, 'a training job waits for what it needs');
  await sleep(outOfReachMs, undefined, { signal: hold.signal }).catch(() => {});
  const message = 'What the work needs is out of reach; the attempt goes on later.';
  await step(deps, hold, { type: 'put_down' }, { message, isSilent: true });
}

async function fail(deps: WorkerDeps, hold: Hold, error: unknown): Promise<void> {
  const failure = failureIn(error);
  if (failure) {
    const { code, message, hint, cause } = failure;
    // Its owner is told what he can do; what it was in detail is for the operator.
    if (cause !== undefined) deps.log.warn({ err: cause, job: hold.held.jobId, code }, 'a training job failed');
    await step(deps, hold, { type: 'failed', code }, { message, hint });
  } else {
    deps.log.warn({ err: error, job: hold.held.jobId }, 'a training job failed for a reason that is not its own');
    await step(deps, hold, { type: 'failed', code: 'internal_error' }, told(error));
  }
  await removeAttempt(hold.folder);
}

/** What an error says of the attempt; null: nobody expected it. */
function failureIn(error: unknown): AttemptFailure | null {
  if (error instanceof AttemptFailure) return error;
  if (!isOutOfRoom(error)) return null;
  return new AttemptFailure('artifact_write_failed', 'The disk of the server is full.', { cause: error });
}

/** What the owner of a job is told of a fault that is not his. */
function told(error: unknown): { message: string; hint?: string } {
  if (error instanceof OperatorError)
    return { message: `Training is not set up on this server. ${error.message}`, hint: 'Its operator can mend that.' };
  return { message: error instanceof Fault ? error.message : 'The program failed for a reason that nobody expected.' };
}
