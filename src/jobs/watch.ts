import { createRounds, joinRounds, type Log, type Rounds } from '#kernel';
import { checkForWork, listDueQueues, type QueueSql } from './queue.store.ts';

export type WatchOptions = {
  sql: QueueSql;
  /** The names of those that are worked on here. */
  queues: () => readonly string[];
  wake: (queue: string) => void;
  /** Gives work of dead processes to others, counts, and deletes what is old. */
  supervise: () => Promise<void>;
  log: Pick<Log, 'warn'> | undefined;
  /** The time, for tests. */
  monotonicMs?: () => number;
};

const lookEveryMs = 2_000;
/** Also the time in which others can see that somebody works on these queues. */
export const checkEveryMs = 5_000;
const superviseEveryMs = 60_000;

/**
 * Looks after all queues with one statement, where the queue would ask for each by itself and supervise with ten: most of
 * the time there is nothing to do, and a server that rests should.
 */
export function createWatch(options: WatchOptions): Rounds {
  const { sql, queues, wake, supervise, log, monotonicMs = () => performance.now() } = options;
  let supervisedMs = Number.NEGATIVE_INFINITY;

  /** New work notifies its workers; this is for what is tried again, was delayed, or came while nobody listened. */
  async function look(): Promise<void> {
    for (const queue of await listDueQueues(sql, queues())) wake(queue);
  }

  /** Only where somebody works can anybody have died. */
  async function check(): Promise<void> {
    const isDue = monotonicMs() - supervisedMs >= superviseEveryMs;
    if (!(await checkForWork(sql, queues())) && !isDue) return;
    await supervise();
    supervisedMs = monotonicMs();
  }

  function roundsOf(work: () => Promise<void>, pauseMs: number): Rounds {
    const onTrouble = (error: unknown) => log?.warn({ err: error }, 'trouble with the job queue');
    return createRounds({ pauseMs, first: 'after a pause', work, onTrouble });
  }

  return joinRounds([roundsOf(look, lookEveryMs), roundsOf(check, checkEveryMs)]);
}
