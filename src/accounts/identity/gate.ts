import { createTurns, fault, type InTurn } from '#kernel';

export type GateLimits = { running: number; waiting: number };

/**
 * Lets a few pieces of work run at a time, some wait, and refuses the rest. A hash of a password keeps a core busy for a
 * tenth of a second, on purpose: without a bound, a crowd at the door would take the processor from everybody who is inside.
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
