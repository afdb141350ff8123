import { type Database, isClockAhead } from '#db';
import { type Clock, createIntervalTasks, firstIdAt, type IntervalTasks, type Log } from '#kernel';
import { deleteOldPairs } from './assessment/duplicates.store.ts';
import { compactCounts, deleteEventsBefore, listDatasetsWithEvents } from './care.store.ts';
import { clearGoneMonths } from './months/event-months.ts';
import { dedupeWindowDays } from './policy/negative-policy.ts';
import { tellDuePromotions } from './promotion/tell.ts';

export type CareOptions = {
  database: Database;
  clock: Clock;
  retentionDays: number;
  log?: Pick<Log, 'warn'>;
};

const dayMs = 24 * 3_600_000;
/** Few at a time: an event may hold half a million characters, and searches wait meanwhile. */
const eventsAtOnce = 200;
const pairsAtOnce = 1_000;
const noticesAtOnce = 100;
const datasetsAtOnce = 500;
/** Fewer changes are not compacted: reading them costs next to nothing. */
const fewestChanges = 64;

/** What is done about events from time to time: it can be done twice and at once. */
export function createCare({ database, clock, retentionDays, log }: CareOptions): IntervalTasks {
  return createIntervalTasks({
    tasks: {
      notices: (isStopped) => tellOfPromotions(database, isStopped),
      pairs: (isStopped) => forgetOldPairs(database, isStopped),
      events: async (isStopped) => {
        const keptSinceMs = (await isClockAhead(database)) ? 0 : Math.max(0, clock.nowMs() - retentionDays * dayMs);
        await tendDatasets(database, firstIdAt('rev', keptSinceMs), isStopped);
      },
      months: (isStopped) => clearGoneMonths(database, isStopped),
    },
    pauseMs: 60_000,
    onError: (err, task) => log?.warn({ err, task }, 'retrieval events are not tended to yet'),
  });
}

type IsStopped = () => boolean;

/** Repeats a step for as long as it finds a full portion. */
async function exhaust(portion: number, isStopped: IsStopped, step: () => Promise<number>): Promise<void> {
  for (let count = portion; count >= portion && !isStopped(); ) count = await step();
}

function tellOfPromotions(database: Database, isStopped: IsStopped): Promise<void> {
  return exhaust(noticesAtOnce, isStopped, () => database.transaction((tx) => tellDuePromotions(tx, noticesAtOnce)));
}

function forgetOldPairs(database: Database, isStopped: IsStopped): Promise<void> {
  return exhaust(pairsAtOnce, isStopped, () => deleteOldPairs(database, dedupeWindowDays, pairsAtOnce));
}

/** Removes events from before `endId`, and keeps counts of events few. */
async function tendDatasets(database: Database, endId: string, isStopped: IsStopped): Promise<void> {
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
