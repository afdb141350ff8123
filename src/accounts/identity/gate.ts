import { fault } from '#kernel';

/** Lets a few pieces of work run at a time, some wait, and refuses the rest. */
export type Gate = <T>(work: () => Promise<T>) => Promise<T>;

export type GateLimits = { running: number; waiting: number };

/**
 * A hash of a password keeps a core busy for a tenth of a second, on purpose: without a bound, a crowd at the door would
 * take the processor from everybody who is inside.
 */
export function createGate({ running, waiting }: GateLimits): Gate {
  const queue: (() => void)[] = [];
  const state = { running: 0 };
  const leave = () => {
    const next = queue.shift();
    if (next) next();
    else state.running -= 1;
  };
  return async (work) => {
    if (state.running < running) state.running += 1;
    else if (queue.length >= waiting)
      throw fault('service_unavailable', { message: 'Too many people sign in at present.', retryAfterSeconds: 2 });
    // `leave` hands the place over without giving it up in between.
    else await new Promise<void>((resolve) => queue.push(resolve));
    try {
      return await work();
    } finally {
      leave();
    }
  };
}
