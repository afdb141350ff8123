import { createTurns, fault, type InTurn } from '#kernel';

export type GateLimits = { running: number; waiting: number };

/**
 * Lets a few pieces of work run at a time, lets some wait, and refuses the rest. A hash of a password keeps a core
 * busy for a tenth of a second, on purpose: without a bound, many sign-ins at once would leave no processor time for
 * requests of those who are signed in.
 */
export function createGate({ running, waiting: mostWaiting }: GateLimits): InTurn {
  return createTurns({
    running,
    onWait: (waiting) => {
      if (waiting >= mostWaiting)
        throw fault('service_unavailable', { message: 'Too many people sign in at present.', retryAfterSeconds: 2 });
    },
  });
}
