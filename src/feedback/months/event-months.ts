import type { PartitionedTable } from '#db';
import type { Clock } from '#kernel';
import { countOutEvents, lockAgainstChanges } from './months.store.ts';

const dayMs = 24 * 3_600_000;

/** A month of events is dropped when all of it is older than the retention; its events are counted out first. */
export function eventMonths(clock: Clock, retentionDays: number): PartitionedTable {
  return {
    table: 'retrieval_events',
    key: 'rev',
    keptSince: () => new Date(Math.max(0, clock.nowMs() - retentionDays * dayMs)),
    async inRemoval(tx, month) {
      await lockAgainstChanges(tx, month);
      await countOutEvents(tx, month);
    },
    removal: 'drop',
  };
}
