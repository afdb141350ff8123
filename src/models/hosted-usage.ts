import type { Sql } from '#db';
import { type Clock, createRounds } from '#kernel';
import { type Use, updateModelsLastCalled, updateSharesLastUsed } from './hosted-usage.store.ts';

/** Keeps when aliases were called and shares used, exact to a minute, without a write per call. */
export type ModelUsage = {
  /** Notes a call of an alias, through a share or not; costs a map entry or two. */
  seen: (hostedModelId: string, shareId: string | null) => void;
  /** Writes what is due. Trouble with the database leaves it for the next time. */
  flush: () => Promise<void>;
  start: () => void;
  /** Writes what is due; rejects never. */
  stop: () => Promise<void>;
};

/** Least distance between two stored times, ms. */
const spacingMs = 60_000;
const flushEveryMs = 5_000;

export function createModelUsage({ sql, clock }: { sql: Sql; clock: Clock }): ModelUsage {
  const models = createNotes((uses) => updateModelsLastCalled(sql, uses, spacingMs));
  const shares = createNotes((uses) => updateSharesLastUsed(sql, uses, spacingMs));

  async function flush(): Promise<void> {
    await Promise.all([models, shares].map((notes) => notes.flush(clock.nowMs())));
  }

  // What could not be written now is due again in the next round.
  const rounds = createRounds({ pauseMs: flushEveryMs, first: 'after a pause', work: flush, onTrouble: () => {} });

  return {
    seen(hostedModelId, shareId) {
      const nowMs = clock.nowMs();
      models.note(hostedModelId, nowMs);
      if (shareId !== null) shares.note(shareId, nowMs);
    },
    flush,
    start: rounds.start,
    stop: async () => {
      await rounds.stop();
      await flush().catch(() => {});
    },
  };
}

type Times = { lastMs: number; storedMs: number };

/** The times of one kind of thing, and which of them are to be written. */
function createNotes(write: (uses: Use[]) => Promise<void>) {
  const noted = new Map<string, Times>();
  const isDue = ({ lastMs, storedMs }: Times) => lastMs - storedMs >= spacingMs;

  return {
    note(id: string, nowMs: number): void {
      const times = noted.get(id);
      if (times) times.lastMs = Math.max(times.lastMs, nowMs);
      else noted.set(id, { lastMs: nowMs, storedMs: Number.NEGATIVE_INFINITY });
    },
    async flush(nowMs: number): Promise<void> {
      const due = [...noted].filter(([, times]) => isDue(times)).map(([id, { lastMs }]) => ({ id, lastMs }));
      if (due.length > 0) await write(due.map(({ id, lastMs }) => ({ id, at: new Date(lastMs) })));
      for (const { id, lastMs } of due) {
        const times = noted.get(id);
        if (times) times.storedMs = lastMs;
      }
      // What rested for a whole spacing starts anew at its next use; the map holds the busy ones only.
      for (const [id, times] of noted) if (!isDue(times) && nowMs - times.lastMs >= spacingMs) noted.delete(id);
    },
  };
}
