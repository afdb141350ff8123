import { setTimeout as sleep } from 'node:timers/promises';
import { isOutOfReach } from '#kernel';

const pauseMs = 500;

/** Tries again while the database is away, for as long as the worker has its job. */
export async function patiently<Result>(signal: AbortSignal, attempt: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isOutOfReach(error) || signal.aborted) throw error;
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => {});
    signal.throwIfAborted();
  }
}
