import type { Sql } from '#db';
import { type Clock, createLastUses, joinIntervalTasks } from '#kernel';
import { updateModelsLastCalled, updateSharesLastUsed } from './hosted-usage.store.ts';

/** Keeps when aliases were called and shares used, exact to a minute, without a write per call. */
export type ModelUsage = {
  /** Notes a call of an alias, through a share or not. */
  seen: (hostedModelId: string, shareId: string | null) => void;
  /** Writes what is due. Trouble with the database leaves it for the next time. */
  flush: () => Promise<void>;
  start: () => void;
  /** Writes what is due; rejects never. */
  stop: () => Promise<void>;
};

export function createModelUsage({ sql, clock }: { sql: Sql; clock: Clock }): ModelUsage {
  const models = createLastUses({ clock, write: (uses, spacingMs) => updateModelsLastCalled(sql, uses, spacingMs) });
  const shares = createLastUses({ clock, write: (uses, spacingMs) => updateSharesLastUsed(sql, uses, spacingMs) });
  const both = [models, shares];
  return {
    seen(hostedModelId, shareId) {
      models.seen(hostedModelId);
      if (shareId !== null) shares.seen(shareId);
    },
    async flush() {
      await Promise.all(both.map(({ flush }) => flush()));
    },
    ...joinIntervalTasks(both),
  };
}
