import { type Database, lockUntilCommit, type PartitionedTable, type Sql } from '#db';
import type { Clock } from '#kernel';
import {
  countOutEvents,
  dropGoneMonth,
  forgetNames,
  listGoneMonths,
  lockAgainstChanges,
  type Place,
} from './months.store.ts';

const dayMs = 24 * 3_600_000;
/** Small: whoever reports under one of these names waits for them. */
const namesAtOnce = 2_000;

/**
 * A month of events is removed as a whole when all of it is older than events are kept; the events left in it are
 * taken out of the counts first.
 */
export function eventMonths(clock: Clock, retentionDays: number): PartitionedTable {
  return {
    table: 'reported_events',
    key: 'rev',
    keptSince: () => new Date(Math.max(0, clock.nowMs() - retentionDays * dayMs)),
    async inRemoval(tx, month) {
      await lockAgainstChanges(tx, month);
      await countOutEvents(tx, month);
    },
    removal: 'rename',
  };
}

/** Forgets the external ids of events that went with their month, some at a time; then nothing of it is left. */
export async function clearGoneMonths(database: Database, isStopped: () => boolean): Promise<void> {
  for (const month of await listGoneMonths(database)) {
    let place: Place | null = { datasetId: '', id: '' };
    while (place && !isStopped()) {
      const after: Place = place;
      place = await database.transaction((tx) => clear(tx, { month, after, limit: namesAtOnce }));
    }
  }
}

/** The next step of one replica; the others may have gone further. Null: there is nothing left. */
async function clear(tx: Sql, step: { month: string; after: Place; limit: number }): Promise<Place | null> {
  await lockUntilCommit(tx, 'months');
  if (!(await listGoneMonths(tx)).includes(step.month)) return null;
  const last = await forgetNames(tx, step);
  if (!last) await dropGoneMonth(tx, step.month);
  return last;
}
