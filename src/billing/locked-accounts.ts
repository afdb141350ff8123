import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, sqlState } from '#db';
import type { Clock } from '#kernel';
import { listLockedAccounts } from './locks.store.ts';

/**
 * Accounts whose row somebody keeps locked, such as an operator in psql. Statements carry many accounts, and each would wait for
 * the one: so it is set aside, with all that is asked for it, until it can be locked again.
 */
export type LockedAccounts = {
  has: (accountId: string) => boolean;
  /** Of these accounts, sets those aside that are locked now. */
  setAside: (accountIds: Iterable<string>) => Promise<void>;
  /** Resolves once the account is not set aside, or at that time by the clock. */
  free: (accountId: string, untilMs: number) => Promise<void>;
  stop: () => void;
};

/** Longest wait for a lock, ms: far longer than a statement of money takes, and short for those who wait beside it. */
export const lockMs = 300;
const pauseMs = 100;

/** A statement did nothing, because it waited for a lock for too long: it was ended here, or by the setting of an operator. */
export function isLockedOut(error: unknown): boolean {
  return sqlState(error) === '57014' || sqlState(error) === '55P03';
}

type Waiter = { untilMs: number; resolve: () => void };

export function createLockedAccounts({ database, clock }: { database: Database; clock: Clock }): LockedAccounts {
  const aside = new Map<string, Waiter[]>();
  let isWatching = false;

  async function watch(): Promise<void> {
    isWatching = true;
    while (aside.size > 0) {
      await sleep(pauseMs);
      // Where nobody can tell, who asks again is told what is wrong.
      const locked = new Set(await listLockedAccounts(database, [...aside.keys()]).catch(() => []));
      const nowMs = clock.monotonicMs();
      for (const [accountId, waiters] of aside) {
        const isLocked = locked.has(accountId);
        for (const { untilMs, resolve } of waiters) if (!isLocked || nowMs >= untilMs) resolve();
        if (isLocked)
          aside.set(
            accountId,
            waiters.filter(({ untilMs }) => nowMs < untilMs),
          );
        else aside.delete(accountId);
      }
    }
    isWatching = false;
  }

  return {
    has: (accountId) => aside.size > 0 && aside.has(accountId),

    async setAside(accountIds) {
      const locked = await listLockedAccounts(database, [...new Set(accountIds)]);
      for (const accountId of locked) if (!aside.has(accountId)) aside.set(accountId, []);
      if (!isWatching) void watch();
    },

    free: (accountId, untilMs) =>
      new Promise((resolve) => {
        const waiters = aside.get(accountId);
        if (waiters) waiters.push({ untilMs, resolve });
        else resolve();
      }),

    stop() {
      for (const waiters of aside.values()) for (const { resolve } of waiters) resolve();
      aside.clear();
    },
  };
}
