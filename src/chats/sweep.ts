import type { Database } from '#db';
import { createIntervalTask, type IntervalTask, joinIntervalTasks, type Log } from '#kernel';
import { lost } from './message-error.ts';
import { endLostAnswers, endWaitingAnswers } from './turns.store.ts';

const lookEveryMs = 10_000;
/** Whoever waits for a model asks again within a minute. */
const waitingS = 600;

export type ChatSweepOptions = {
  database: Database;
  log: Pick<Log, 'warn'>;
  /** Pause between looks for what has been left for a minute and more. */
  tidyMs?: number;
};

/** Ends answers that nobody makes any more. */
export function createSweep({ tidyMs = 30_000, ...deps }: ChatSweepOptions): IntervalTask {
  async function tidy(): Promise<void> {
    await endWaitingAnswers(deps.database, { olderThanS: waitingS });
  }

  const onError = (error: unknown) => deps.log.warn({ err: error }, 'chat maintenance failed');
  return joinIntervalTasks([
    createIntervalTask({
      pauseMs: lookEveryMs,
      first: 'after a pause',
      work: () => endLostAnswers(deps.database, lost, null),
      onError,
    }),
    createIntervalTask({ pauseMs: tidyMs, first: 'after a pause', work: tidy, onError }),
  ]);
}
