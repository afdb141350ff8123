import type { Sql } from '#db';
import { type Clock, createIntervalTasks, type IntervalTasks, type Log } from '#kernel';
import { deleteExpiredCalls } from './saved-calls.store.ts';

/** How long saved calls are kept, as readers see it. */
export type Retention = {
  /** What was saved before is gone, whether it has been swept or not. */
  keptSince: () => Date;
  expiresAt: (savedAt: Date) => Date;
};

const dayMs = 24 * 3_600_000;

export function createRetention({ clock, days }: { clock: Clock; days: number }): Retention {
  return {
    keptSince: () => new Date(clock.nowMs() - days * dayMs),
    expiresAt: (savedAt) => new Date(savedAt.getTime() + days * dayMs),
  };
}

const sweepEveryMs = 10 * 60_000;
/** Small: a row may hold a megabyte, and calls are waiting. */
const batchRows = 200;

export type SavedCallsSweepOptions = { sql: Sql; retentionDays: number; log?: Pick<Log, 'warn'> };

/** Removes saved calls that are past their time, a little at a time. */
export function createSweep({ sql, retentionDays, log }: SavedCallsSweepOptions): IntervalTasks {
  return createIntervalTasks({
    tasks: {
      'expired calls': async (isStopped) => {
        while (!isStopped() && (await deleteExpiredCalls(sql, retentionDays, batchRows)) > 0);
      },
    },
    pauseMs: sweepEveryMs,
    onError: (err) => log?.warn({ err }, 'expired saved calls are not removed yet'),
  });
}
