import { type Clock, fault } from '#kernel';

/** Bounds how often an account has prompts counted, which costs it nothing and the engine some work. */
export type CountLimit = {
  /** Throws `rate_limited` when the account has used up what it may have counted. */
  take: (accountId: string) => void;
};

/** So many at once, and so many in a minute. */
const most = 120;
const perMinute = 600;
/** An account with all of its counts left need not be known. */
const mostAccounts = 10_000;

export function createCountLimit(clock: Clock): CountLimit {
  const spent = new Map<string, { counts: number; atMs: number }>();
  return {
    take(accountId) {
      const nowMs = clock.monotonicMs();
      const last = spent.get(accountId) ?? { counts: 0, atMs: nowMs };
      const counts = Math.max(0, last.counts - ((nowMs - last.atMs) / 60_000) * perMinute);
      if (counts + 1 > most) {
        throw fault('rate_limited', {
          message: `An account may have at most ${perMinute} prompts counted in a minute.`,
          retryAfterSeconds: Math.ceil(((counts + 1 - most) / perMinute) * 60),
        });
      }
      spent.delete(accountId);
      spent.set(accountId, { counts: counts + 1, atMs: nowMs });
      if (spent.size > mostAccounts) for (const [oldest] of spent.entries().take(1)) spent.delete(oldest);
    },
  };
}
