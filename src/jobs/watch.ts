import type { Sql } from '#db';
import { createIntervalTask, type IntervalTask, type Log } from '#kernel';
import { inspectQueues } from './queue.store.ts';

export type WatchOptions = {
  sql: Sql;
  /** The names of those that are worked on here. */
  queues: readonly string[];
  wake: (queue: string) => void;
  /** Gives work of dead processes to others, counts, and deletes what is old. */
  supervise: () => Promise<void>;
  /** Lets others see that somebody works on these queues. */
  note: () => Promise<void>;
  log: Pick<Log, 'warn'> | undefined;
  /** The time, for tests. */
  monotonicMs?: () => number;
};

const lookEveryMs = 2_000;
/** While something runs. */
const superviseEveryMs = 4_000;
/** While nothing does, only what is old by days can be found. */
const tidyEveryMs = 10 * 60_000;
/** While nothing runs; supervising notes it, too. */
const noteEveryMs = 10_000;
/** A time that ends before the next look counts as over. */
const slackMs = lookEveryMs / 2;

/**
 * Looks after all queues. The queue itself would ask for each queue separately and supervise with ten statements; most of
 * the time there is nothing to do, and an idle server should stay idle.
 */
export function createWatch(options: WatchOptions): IntervalTask {
  const { sql, queues, wake, supervise, note, log, monotonicMs = () => performance.now() } = options;
  let notedMs = Number.NEGATIVE_INFINITY;
  let supervisedMs = Number.NEGATIVE_INFINITY;

  /** New work notifies its workers; this is for what is tried again, was delayed, or came while nobody listened. */
  async function look(): Promise<void> {
    const { due, isActive } = await inspectQueues(sql, queues);
    for (const queue of due) wake(queue);
    const nowMs = monotonicMs();
    // Only where somebody works can anybody have died.
    if (nowMs - supervisedMs >= (isActive ? superviseEveryMs : tidyEveryMs) - slackMs) {
      await supervise();
      supervisedMs = nowMs;
      notedMs = nowMs;
    } else if (!isActive && nowMs - notedMs >= noteEveryMs - slackMs) {
      await note();
      notedMs = nowMs;
    }
  }

  return createIntervalTask({
    pauseMs: lookEveryMs,
    first: 'after a pause',
    work: look,
    onError: (error) => log?.warn({ err: error }, 'job queue check failed'),
  });
}
