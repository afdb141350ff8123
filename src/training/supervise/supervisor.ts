import { randomUUID } from 'node:crypto';
import type { Database } from '#db';
import { createRounds } from '#kernel';
import { claim } from './claim.ts';
import type { WorkerDeps } from './hold.ts';
import { isWorkWaiting } from './lease.store.ts';
import { work } from './worker.ts';

export type Supervisor = {
  start: () => void;
  /** There may be something to do. */
  wake: () => void;
  /** Puts down what is being worked on, for others or for later. */
  stop: () => Promise<void>;
};

export type SupervisorOptions = WorkerDeps & {
  instanceId: string;
  /** Jobs worked on at the same time. */
  slots: number;
  /** Pause between looks for work. */
  lookMs: number;
};

/** Takes jobs off the queue, as many at a time as there are slots, for as long as the server runs. */
export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { database, slots, lookMs, log } = options;
  const stopping = new AbortController();
  const working = new Set<Promise<void>>();
  let looking: Promise<void> | null = null;
  let isAskedAgain = false;

  async function look(): Promise<void> {
    while (working.size < slots && !stopping.signal.aborted) {
      const claimed = await claimQuietly(database);
      if (!claimed) return;
      const done: Promise<void> = work(options, claimed, stopping.signal).finally(() => {
        working.delete(done);
        wake();
      });
      working.add(done);
    }
  }

  async function claimQuietly(sql: Database) {
    try {
      const holder = `${options.instanceId} ${randomUUID()}`;
      return await claim(sql, { holder, seconds: options.timing.seconds });
    } catch (err) {
      log.warn({ err }, 'training queue check failed');
      return null;
    }
  }

  function wake(): void {
    if (stopping.signal.aborted) return;
    if (looking) {
      isAskedAgain = true;
      return;
    }
    looking = look().finally(() => {
      looking = null;
      if (!isAskedAgain) return;
      isAskedAgain = false;
      wake();
    });
  }

  // Jobs of other servers; those made here wake it.
  const looks = createRounds({
    pauseMs: lookMs,
    first: 'at once',
    work: async () => {
      if (await isWorkWaiting(database)) wake();
    },
    onTrouble: (err) => log.warn({ err }, 'training queue check failed'),
  });

  return {
    start: looks.start,
    wake,
    async stop() {
      stopping.abort();
      await looks.stop();
      await looking;
      await Promise.all(working);
    },
  };
}
