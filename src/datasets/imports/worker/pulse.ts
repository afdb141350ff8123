import type { Database } from '#db';
import type { ImportState } from '../import-record.ts';
import { type Progress, showProgress } from '../import-runs.store.ts';

/** The work is not wanted any more: it was canceled, or another reading was asked for. */
export class Unwanted extends Error {
  override readonly name = 'Unwanted';
}

export type Pulse = {
  /** Throws `Unwanted` once the work is not wanted. */
  check: () => void;
  set: (progress: Progress) => void;
  signal: AbortSignal;
  stop: () => Promise<void>;
};

const everyMs = 700;

/** Writes progress down, at most about once a second, and notices that nobody wants the work any more. */
export function startPulse(database: Database, run: { importId: string; reading: number; state: ImportState }): Pulse {
  const unwanted = new AbortController();
  let progress: Progress = { phase: 'starting', rowsDone: 0, percent: null };
  let beating: Promise<void> | null = null;

  async function beat(): Promise<void> {
    const now = await showProgress(database, run, progress).catch(() => 'unknown' as const);
    // While the database is away nothing is decided here: the work itself will fail or go on.
    if (now === 'unknown' || (now?.state === run.state && now.reading === run.reading)) return;
    unwanted.abort(new Unwanted('The work is not wanted any more.'));
  }

  const timer = setInterval(() => {
    beating ??= beat().finally(() => {
      beating = null;
    });
  }, everyMs);
  return {
    check: () => unwanted.signal.throwIfAborted(),
    set: (next) => {
      progress = next;
    },
    signal: unwanted.signal,
    async stop() {
      clearInterval(timer);
      await beating;
    },
  };
}
