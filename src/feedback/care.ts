import type { Database } from '#db';
import { type Clock, firstIdAt, type Log } from '#kernel';
import { deleteOldPairs } from './assessment/duplicates.store.ts';
import { compactCounts, deleteEventsBefore, listDatasetsWithEvents } from './care.store.ts';
import { clearGoneMonths } from './months/event-months.ts';
import { dedupeWindowDays } from './policy/negative-policy.ts';
import { tellDuePromotions } from './promotion/tell.ts';

/** What is done about events from time to time, on any replica: each step is safe to be done twice and at once. */
export type Care = {
  start: () => void;
  /** One round of everything. */
  tend: () => Promise<void>;
  /** Waits for the statement under way. Rejects never. */
  stop: () => Promise<void>;
};

export type CareOptions = {
  database: Database;
  clock: Clock;
  retentionDays: number;
  log?: Pick<Log, 'warn'>;
};

const everyMs = 60_000;
const dayMs = 24 * 3_600_000;
/** Small: an event may hold half a million characters, and searches are waiting. */
const eventsAtOnce = 200;
const pairsAtOnce = 1_000;
const noticesAtOnce = 100;
const datasetsAtOnce = 500;
/** Fewer changes are added up in no time by whoever reads them. */
const fewestChanges = 64;

export function createCare({ database, clock, retentionDays, log }: CareOptions): Care {
  let timer: NodeJS.Timeout | null = null;
  let stopped = false;
  let running: Promise<unknown> = Promise.resolve();

  /** Repeats a step for as long as it finds a full portion. */
  async function exhaust(portion: number, step: () => Promise<number>): Promise<void> {
    for (let count = portion; count >= portion && !stopped; ) count = await step();
  }

  async function tendDatasets(): Promise<void> {
    const endId = firstIdAt('rev', Math.max(0, clock.nowMs() - retentionDays * dayMs));
    let afterId = '';
    await exhaust(datasetsAtOnce, async () => {
      const ids = await listDatasetsWithEvents(database, afterId, datasetsAtOnce);
      for (const datasetId of ids) {
        await exhaust(eventsAtOnce, () => deleteEventsBefore(database, { datasetId, endId, limit: eventsAtOnce }));
        if (stopped) return 0;
        await compactCounts(database, datasetId, fewestChanges);
      }
      afterId = ids.at(-1) ?? afterId;
      return ids.length;
    });
  }

  async function tend(): Promise<void> {
    await exhaust(noticesAtOnce, () => database.transaction((tx) => tellDuePromotions(tx, noticesAtOnce)));
    await exhaust(pairsAtOnce, () => deleteOldPairs(database, dedupeWindowDays, pairsAtOnce));
    await tendDatasets();
    await clearGoneMonths(database, () => stopped);
  }

  function tendQuietly(): void {
    // The next round finds what this one left.
    running = running
      .then(tend)
      .catch((error: unknown) => log?.warn({ err: error }, 'retrieval events are not tended to yet'));
  }

  return {
    start() {
      timer ??= setInterval(tendQuietly, everyMs).unref();
    },
    tend,
    async stop() {
      stopped = true;
      if (timer) clearInterval(timer);
      await running;
    },
  };
}
