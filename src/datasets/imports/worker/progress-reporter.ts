import type { Database } from '#db';
import type { ImportState } from '../import-record.ts';
import { type ImportProgress, updateProgress } from '../import-runs.store.ts';

/** The import was canceled, or another profile of it was requested. */
export class ImportSuperseded extends Error {
  override readonly name = 'ImportSuperseded';
}

export type ProgressReporter = {
  /** Throws `ImportSuperseded` once the work is superseded. */
  check: () => void;
  set: (progress: ImportProgress) => void;
  signal: AbortSignal;
  stop: () => Promise<void>;
};

const intervalMs = 700;

/** Stores progress about once a second, and notices that the work is superseded. */
export function startProgressReporter(
  database: Database,
  run: { importId: string; profileNumber: number; state: ImportState },
): ProgressReporter {
  const superseded = new AbortController();
  let progress: ImportProgress = { phase: 'starting', rowsDone: 0, percent: null };
  let updating: Promise<void> | null = null;

  async function update(): Promise<void> {
    const now = await updateProgress(database, run, progress).catch(() => 'unknown' as const);
    // While the database is away nothing is decided here: the work itself will fail or go on.
    if (now === 'unknown' || (now?.state === run.state && now.profileNumber === run.profileNumber)) return;
    superseded.abort(new ImportSuperseded('The work is superseded.'));
  }

  const timer = setInterval(() => {
    updating ??= update().finally(() => {
      updating = null;
    });
  }, intervalMs);
  return {
    check: () => superseded.signal.throwIfAborted(),
    set: (next) => {
      progress = next;
    },
    signal: superseded.signal,
    async stop() {
      clearInterval(timer);
      await updating;
    },
  };
}
