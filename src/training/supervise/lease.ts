import type { Database } from '#db';
import type { JobState } from '../jobs/lifecycle.ts';
import { renewLease } from './lease.store.ts';
import { type Held, LeaseLost } from './take-in.ts';

export type LeaseTiming = {
  /** Pause between life signs. */
  beatMs: number;
  /** Silence after which others take the job. */
  seconds: number;
};

export type Lease = {
  /** Aborts when the lease is lost or has ended; see `reason`. */
  signal: AbortSignal;
  stop: () => Promise<void>;
};

/**
 * Shows life while a job is worked on, and hears what others want of it. A worker that cannot show life for so long that
 * others may have taken the job lets go of it.
 */
export function keepLease(
  { database, held, timing }: { database: Database; held: Held; timing: LeaseTiming },
  heard: (state: JobState) => void,
): Lease {
  const lost = new AbortController();
  let lastMs = performance.now();
  let timer: NodeJS.Timeout | undefined;
  let beating = Promise.resolve();
  let stopped = false;

  async function beat(): Promise<void> {
    try {
      const state = await renewLease(database, { ...held, seconds: timing.seconds });
      if (state === null) return lost.abort(new LeaseLost('The job has another worker.'));
      lastMs = performance.now();
      heard(state);
    } catch {
      // The database is away: the lease holds until it ends by itself.
      const silentMs = performance.now() - lastMs;
      if (silentMs > timing.seconds * 800) lost.abort(new LeaseLost('No life sign could be given for too long.'));
    }
  }

  function turn(): void {
    beating = beat().then(() => {
      if (!stopped && !lost.signal.aborted) timer = setTimeout(turn, timing.beatMs).unref();
    });
  }

  turn();
  return {
    signal: lost.signal,
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await beating;
      // Ends everything that still waits for the database under this lease: no other signal would reach it.
      lost.abort(new LeaseLost('The work has ended.'));
    },
  };
}
