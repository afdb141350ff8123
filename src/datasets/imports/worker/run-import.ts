import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '#kernel';
import { recordImportActivity } from '../import-activity.ts';
import type { ImportError } from '../import-record.ts';
import {
  beginAttempt,
  endAsFailed,
  endCanceling,
  findRunning,
  type RunningImport,
  returnAttempt,
  takeLease,
} from '../import-runs.store.ts';
import { ImportFailure, type ImportFailureCode } from '../reading/import-failure.ts';
import { importExamples } from './import-examples.ts';
import { profileImport } from './profile-import.ts';
import { ImportSuperseded, type ProgressReporter, startProgressReporter } from './progress-reporter.ts';
import type { WorkDeps } from './work-deps.ts';

/** Somebody else works at the import, or writes into its dataset: try later. */
export class Busy extends Error {
  override readonly name = 'Busy';
}

const maxAttempts = 3;
const busyWaitMs = 1_500;

/**
 * Does what an import waits for: profiles its file, or writes its examples. Resolves when there is nothing left to do, however
 * it ended; rejects with `Busy` or with an outage, and then another attempt goes on from the same state.
 */
export async function runImport(deps: WorkDeps, importId: string): Promise<void> {
  for (;;) {
    const run = await attempt(deps, importId);
    // Another profile was requested while this one was in flight.
    if (run === null || !(await hasMoreWork(deps, run))) return;
  }
}

async function hasMoreWork({ database }: WorkDeps, { id, state, profileNumber }: RunningImport): Promise<boolean> {
  const now = await findRunning(database, id);
  if (!now || (now.state === state && now.profileNumber === profileNumber)) return false;
  return now.state === 'uploaded' || now.state === 'importing' || now.state === 'canceling';
}

/** One attempt under the lease; null: there is nothing to do. */
async function attempt(deps: WorkDeps, importId: string): Promise<RunningImport | null> {
  const { database } = deps;
  const begun: { run: RunningImport | null } = { run: null };
  try {
    await database.transaction(async (tx) => {
      if (!(await takeLease(tx, importId))) throw new Busy('Somebody else works at this import.');
      begun.run = await beginAttempt(database, importId);
      if (!begun.run) return;
      checkAttempts(begun.run);
      if (begun.run.state === 'canceling') throw new ImportSuperseded('The import was canceled.');
      const progress = startProgressReporter(database, {
        importId,
        profileNumber: begun.run.profileNumber,
        state: begun.run.state,
      });
      try {
        const job = { ...deps, run: begun.run, progress };
        if (begun.run.state === 'profiling') await holdingLease(tx, progress, profileImport(job));
        else await importExamples(tx, job);
      } finally {
        await progress.stop();
      }
    });
  } catch (error) {
    await end(deps, begun.run, failureOf(error)).catch(async (endError: unknown) => {
      // A full disk or an outage is no dead worker: only the attempts of dead workers are limited.
      if (begun.run) await returnAttempt(database, importId).catch(() => {});
      throw endError;
    });
  }
  return begun.run;
}

/** A worker that died at an import is replaced, but not for ever: the import may be what it dies of. */
function checkAttempts({ attempts, state }: RunningImport): void {
  if (attempts <= maxAttempts || state === 'canceling') return;
  throw new ImportFailure('worker_lost', `The worker ended ${maxAttempts} times while it worked at this file.`, {
    hint: 'The file may take more memory than there is. Divide it.',
  });
}

const keepAliveMs = 10_000;

/** A connection that is idle for long in a transaction may be ended by the database, and with it the lease. */
async function holdingLease(
  tx: { query: (text: string) => Promise<unknown> },
  progress: ProgressReporter,
  work: Promise<void>,
): Promise<void> {
  const lost = Promise.withResolvers<never>();
  lost.promise.catch(() => {});
  const timer = setInterval(() => {
    tx.query('select').catch(lost.reject);
  }, keepAliveMs);
  try {
    await Promise.race([work, lost.promise, aborted(progress.signal)]);
  } finally {
    clearInterval(timer);
    await work.catch(() => {});
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {});
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return promise;
}

/** Records how an attempt ended, if the import ends with it. By now its transaction is rolled back. */
async function end({ database }: WorkDeps, run: RunningImport | null, error: unknown): Promise<void> {
  if (run && error instanceof ImportSuperseded) {
    await database.transaction(async (tx) => {
      if (await endCanceling(tx, run.id)) await recordImportActivity(tx, run, 'canceled', {});
    });
    return;
  }
  if (run && error instanceof ImportFailure) {
    const { code, message, hint, details } = error;
    await failImport(database, run, { code, message, hint, details });
    return;
  }
  if (error instanceof Fault && error.fault === 'in_use') {
    await sleep(busyWaitMs);
    throw new Busy(error.message, { cause: error });
  }
  throw error;
}

const full = new Map<unknown, ImportFailureCode>([
  ['max_examples_per_dataset', 'dataset_full'],
  ['max_storage', 'storage_full'],
]);

/** What stands in the way of writing is a refusal in the words of the dataset. */
function failureOf(error: unknown): unknown {
  if (!(error instanceof Fault) || error.row.status >= 500 || error.fault === 'in_use') return error;
  const reason = error.options.details?.reason;
  const code = full.get(reason) ?? 'dataset_unavailable';
  return new ImportFailure(code, error.message, { details: error.options.details ?? {} });
}

/** Ends an import as failed, unless it is over or another profile was requested. */
export async function failImport(
  database: WorkDeps['database'],
  run: RunningImport,
  error: ImportError,
): Promise<void> {
  await database.transaction(async (tx) => {
    if (!(await endAsFailed(tx, { importId: run.id, profileNumber: run.profileNumber }, error))) {
      if (await endCanceling(tx, run.id)) await recordImportActivity(tx, run, 'canceled', {});
      return;
    }
    await recordImportActivity(tx, run, 'failed', { error: { code: error.code, message: error.message } });
  });
}
