import type { Sql } from '#db';
import { type Clock, createRounds } from '#kernel';
import { updateKeysLastUsed } from './keys.store.ts';

/** Keeps `last_used_at`, exact to a minute, without a write per call. */
export type KeyUsage = {
  /** Notes a use of a key; costs one map entry. */
  seen: (keyId: string) => void;
  /** Writes what is due, in one statement. Trouble with the database leaves it for the next time. */
  flush: () => Promise<void>;
  start: () => void;
  /** Writes what is due; rejects never. */
  stop: () => Promise<void>;
};

/** Least distance between two stored times of a key, ms. */
const spacingMs = 60_000;
const flushEveryMs = 5_000;

type Use = { lastMs: number; storedMs: number };

const isDue = ({ lastMs, storedMs }: Use) => lastMs - storedMs >= spacingMs;
const toRow = ({ keyId, lastMs }: { keyId: string; lastMs: number }) => ({ keyId, at: new Date(lastMs) });

export function createKeyUsage({ sql, clock }: { sql: Sql; clock: Clock }): KeyUsage {
  const uses = new Map<string, Use>();

  function seen(keyId: string): void {
    const nowMs = clock.nowMs();
    const use = uses.get(keyId);
    if (use) use.lastMs = Math.max(use.lastMs, nowMs);
    else uses.set(keyId, { lastMs: nowMs, storedMs: Number.NEGATIVE_INFINITY });
  }

  async function flush(): Promise<void> {
    const due = [...uses].filter(([, use]) => isDue(use)).map(([keyId, { lastMs }]) => ({ keyId, lastMs }));
    if (due.length > 0) await updateKeysLastUsed(sql, due.map(toRow), spacingMs);
    for (const { keyId, lastMs } of due) {
      const use = uses.get(keyId);
      if (use) use.storedMs = lastMs;
    }
    forgetResting(clock.nowMs());
  }

  /** A key that rested for a whole spacing starts anew at its next use; the map holds the busy ones only. */
  function forgetResting(nowMs: number): void {
    for (const [keyId, use] of uses) if (!isDue(use) && nowMs - use.lastMs >= spacingMs) uses.delete(keyId);
  }

  // What could not be written now is due again in the next round.
  const rounds = createRounds({ pauseMs: flushEveryMs, first: 'after a pause', work: flush, onTrouble: () => {} });

  return {
    seen,
    flush,
    start: rounds.start,
    stop: async () => {
      await rounds.stop();
      await flush().catch(() => {});
    },
  };
}
