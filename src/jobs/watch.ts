import { createRounds, type Log, type Rounds } from '#kernel';
import { lookIntoQueues, type QueueSql } from './queue.store.ts';

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

/** While something waits or runs; otherwise every second time. */
const lookEveryMs = 2_500;
/** Also the time in which others can see that somebody works on these queues. */
export const checkEveryMs = 5_000;
const superviseEveryMs = 60_000;
/** Timers may fire early: a check this much before its time counts as due. */
const slackMs = lookEveryMs / 2;

/**
 * Looks after all queues with one statement. The queue itself would ask for each queue separately and supervise with
 * ten statements; most of the time there is nothing to do, and an idle server should stay idle.
 */
export function createWatch(options: WatchOptions): Rounds {
  const { sql, queues, wake, supervise, log, monotonicMs = () => performance.now() } = options;
  let isResting = false;
  let lookedMs = Number.NEGATIVE_INFINITY;
  let supervisedMs = Number.NEGATIVE_INFINITY;

  /** New work notifies its workers; this is for what is tried again, was delayed, or came while nobody listened. */
  async function look(): Promise<void> {
    const nowMs = monotonicMs();
    if (isResting && nowMs - lookedMs < checkEveryMs - slackMs) return;
    lookedMs = nowMs;
    const { due, isActive, isWaiting } = await lookIntoQueues(sql, queues());
    isResting = !isActive && !isWaiting;
    for (const queue of due) wake(queue);
    // Only where somebody works can anybody have died.
    if (nowMs - supervisedMs < (isActive ? checkEveryMs - slackMs : superviseEveryMs)) return;
    await supervise();
    supervisedMs = nowMs;
  }

  const onTrouble = (error: unknown) => log?.warn({ err: error }, 'trouble with the job queue');
  return createRounds({ pauseMs: lookEveryMs, first: 'after a pause', work: look, onTrouble });
}
