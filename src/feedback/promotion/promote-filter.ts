import type { Database } from '#db';
import { Fault, type FaultName } from '#kernel';
import { countMatches } from '../events/event-list.ts';
import { type EventFilter, listEventIds } from '../events/events.store.ts';
import { type PromotionBatch, type PromotionDeps, type PromotionOutcome, promoteBatch } from './promote-batch.ts';

/** Events of one transaction, of one request, and the time after which a request begins no further transaction. */
const batchSize = 100;
export const maxEvents = 1_000;
const timeLimitMs = 20_000;

export type FilterRun = {
  outcomes: Map<string, PromotionOutcome>;
  /** Events of the filter that were not looked at. */
  remaining: number;
  /** The last one that was; null: there are no more. */
  resumeAfter: string | null;
  /** Why it ended early, if something refused. */
  stopped: { code: FaultName; message: string } | null;
};

export type FilterPromotion = Omit<PromotionBatch, 'ids' | 'taught'> & {
  /** Null: it can match nothing. */
  filter: EventFilter | null;
  /** Only events after this one; null: all. */
  after: string | null;
  limit: number;
};

/**
 * Promotes the oldest events of a filter, a transaction for every hundred. What is promoted stays promoted when a later
 * part is refused, so the answer says how far it came and the next request goes on from there.
 */
export async function promoteFilter(
  deps: PromotionDeps,
  { filter, after, limit, ...batch }: FilterPromotion,
): Promise<FilterRun> {
  const run: FilterRun = { outcomes: new Map(), remaining: 0, resumeAfter: null, stopped: null };
  if (!filter) return run;
  const until = performance.now() + timeLimitMs;
  const ids = await listEventIds(deps.database, filter, { beyond: after, limit, order: 'oldest' });
  const taught = new Set<string>();
  let last = after;
  for (let at = 0; at < ids.length && performance.now() < until; at += batchSize) {
    const part = ids.slice(at, at + batchSize);
    try {
      for (const [id, outcome] of await promoteBatch(deps, { ...batch, ids: part, taught }))
        run.outcomes.set(id, outcome);
    } catch (error) {
      if (!(error instanceof Fault) || at === 0) throw error;
      run.stopped = { code: error.fault, message: error.message };
      break;
    }
    last = part.at(-1) ?? last;
  }
  const remaining = await countBeyond(deps.database, filter, last);
  return { ...run, remaining, resumeAfter: remaining > 0 ? last : null };
}

function countBeyond(database: Database, filter: EventFilter, last: string | null): Promise<number> {
  if (last === null) return countMatches(database, filter);
  // Stands between this id and the next one.
  const next = `${last}~`;
  return countMatches(database, { ...filter, from: filter.from !== null && filter.from > next ? filter.from : next });
}
