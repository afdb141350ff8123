import pLimit from 'p-limit';
import { fault } from '#kernel';

export type GateLimits = { running: number; waiting: number };

/** Runs a piece of work as soon as there is capacity. */
export type Gate = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * Lets a few pieces of work run at a time, lets some wait, and refuses the rest. A hash of a password keeps a core
 * busy for a tenth of a second, on purpose: without a bound, many sign-ins at once would leave no processor time for
 * requests of those who are signed in.
 */
export function createGate({ running, waiting }: GateLimits): Gate {
  const limit = pLimit(running);
  return async (work) => {
    if (limit.activeCount + limit.pendingCount >= running + waiting)
      throw fault('service_unavailable', { message: 'Too many people sign in at present.', retryAfterSeconds: 2 });
    return limit(work);
  };
}
