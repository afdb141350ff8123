import { type Database, isClockAhead } from '#db';
import { type Clock, createIntervalTasks, firstIdAt, type IntervalTasks, type Log } from '#kernel';
import { deleteOldPairs } from './assessment/duplicates.store.ts';
import { compactCounts, deleteEventsBefore, deleteOldNames, listDatasetsWithEvents } from './maintenance.store.ts';
import { dedupeWindowDays } from './policy/negative-policy.ts';
import { recordDuePromotions } from './promotion/promotion-activity.ts';

export type FeedbackMaintenanceOptions = {
  database: Database;
  clock: Clock;
  retentionDays: number;
  log?: Pick<Log, 'warn'>;
};

const dayMs = 24 * 3_600_000;
/** Few at a time: an event may hold half a million characters, and searches wait meanwhile. */
const eventsAtOnce = 200;
/** Small: whoever reports under one of these names waits for them. */
const namesAtOnce = 2_000;
const pairsAtOnce = 1_000;
const noticesAtOnce = 100;
const datasetsAtOnce = 500;
/** Fewer changes are not compacted: reading them costs next to nothing. */
const fewestChanges = 64;

/** Every task can be done twice and at once. */
export function createFeedbackMaintenance(options: FeedbackMaintenanceOptions): IntervalTasks {
  const { database, clock, retentionDays, log } = options;
  return createIntervalTasks({
    tasks: {
      notices: (isStopped) =>
        exhaust(noticesAtOnce, isStopped, () => database.transaction((tx) => recordDuePromotions(tx, noticesAtOnce))),
      pairs: (isStopped) =>
        exhaust(pairsAtOnce, isStopped, () => deleteOldPairs(database, dedupeWindowDays, pairsAtOnce)),
      events: async (isStopped) => {
        const keptSinceMs = (await isClockAhead(database)) ? 0 : Math.max(0, clock.nowMs() - retentionDays * dayMs);
        const endId = firstIdAt('rev', keptSinceMs);
        await maintainDatasets(database, endId, isStopped);
        // Of events that went with their month.
        await exhaust(namesAtOnce, isStopped, () => deleteOldNames(database, endId, namesAtOnce));
      },
    },
    pauseMs: 60_000,
    onError: (err, task) => log?.warn({ err, task }, 'retrieval events maintenance failed'),
  });
}

type IsStopped = () => boolean;

/** Repeats a step for as long as it finds a full portion. */
async function exhaust(portion: number, isStopped: IsStopped, step: () => Promise<number>): Promise<void> {
  for (let count = portion; count >= portion && !isStopped(); ) count = await step();
}

async function maintainDatasets(database: Database, endId: string, isStopped: IsStopped): Promise<void> {
  let afterId = '';
  await exhaust(datasetsAtOnce, isStopped, async () => {
    const ids = await listDatasetsWithEvents(database, afterId, datasetsAtOnce);
    for (const datasetId of ids) {
      const old = { datasetId, endId, limit: eventsAtOnce };
      await exhaust(eventsAtOnce, isStopped, () => deleteEventsBefore(database, old));
      if (isStopped()) return 0;
      await compactCounts(database, datasetId, fewestChanges);
    }
    afterId = ids.at(-1) ?? afterId;
    return ids.length;
  });
}
