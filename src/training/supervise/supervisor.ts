import { randomUUID } from 'node:crypto';
import { createIntervalTask } from '#kernel';
import { isWorkWaiting } from './lease.store.ts';
import { type ClaimedJob, claim, type WorkerDeps } from './lease.ts';
import { work } from './worker.ts';

type SupervisorOptions = WorkerDeps & {
  instanceId: string;
  slots: number;
  /** Pause between two looks for jobs of other servers. */
  pollMs?: number;
};

/** Takes jobs off the queue, as many at a time as there are slots, for as long as the server runs. */
export function createSupervisor(options: SupervisorOptions) {
  const { database, slots, pollMs = 5_000, log } = options;
  const stopping = new AbortController();
  const working = new Set<Promise<void>>();
  let claiming: Promise<void> | null = null;
  let isWokenAgain = false;

  async function claimJobs(): Promise<void> {
    while (working.size < slots && !stopping.signal.aborted) {
      const claimed = await tryClaim();
      if (!claimed) return;
      const done: Promise<void> = work(options, claimed, stopping.signal).finally(() => {
        working.delete(done);
        wake();
      });
      working.add(done);
    }
  }

  async function tryClaim(): Promise<ClaimedJob | null> {
    try {
      const holder = `${options.instanceId} ${randomUUID()}`;
      return await claim(database, { holder, seconds: options.timing.leaseSeconds });
    } catch (err) {
      log.warn({ err }, 'training job claim failed');
      return null;
    }
  }

  function wake(): void {
    if (stopping.signal.aborted) return;
    if (claiming) {
      isWokenAgain = true;
      return;
    }
    claiming = claimJobs().finally(() => {
      claiming = null;
      if (!isWokenAgain) return;
      isWokenAgain = false;
      wake();
    });
  }

  // Jobs of other servers; those made here wake it.
  const poll = createIntervalTask({
    pauseMs: pollMs,
    first: 'at once',
    work: async () => {
      if (await isWorkWaiting(database)) wake();
    },
    onError: (err) => log.warn({ err }, 'training queue check failed'),
  });

  return {
    start: poll.start,
    /** There may be something to do. */
    wake,
    async stop(): Promise<void> {
      stopping.abort();
      await poll.stop();
      await claiming;
      await Promise.all(working);
    },
  };
}
