/**
 * Whether a route is tried. It closes the door after some failures in a row, and opens it for one call at a time after a
 * while, or when a health check succeeds.
 */
export type Breaker = {
  failures: number;
  /** When a call may try again although the route counts as down, ms; null: the route is up. */
  retryAtMs: number | null;
  lastError: string | null;
};

export const upBreaker: Breaker = { failures: 0, retryAtMs: null, lastError: null };

const mostFailures = 3;
const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

export function succeeded(): Breaker {
  return upBreaker;
}

export function failed(breaker: Breaker, { nowMs, error }: { nowMs: number; error: string }): Breaker {
  const failures = breaker.failures + 1;
  const doublings = failures - mostFailures;
  const retryAtMs =
    doublings < 0 ? null : nowMs + Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(doublings, 10));
  return { failures, retryAtMs, lastError: error };
}

export function isTried({ retryAtMs }: Breaker, nowMs: number): boolean {
  return retryAtMs === null || nowMs >= retryAtMs;
}

/** The door for the next caller, when one goes through to try: others wait for what becomes of it. */
export function trying(breaker: Breaker, nowMs: number): Breaker {
  return breaker.retryAtMs === null ? breaker : { ...breaker, retryAtMs: nowMs + firstPauseMs };
}
