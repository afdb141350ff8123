import type { Sql } from '#db';
import type { Clock, Log } from '#kernel';
import { deleteExpiredCalls } from './saved-calls.store.ts';

/** How long saved calls are kept, and the sweep that removes what is older. */
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

export type Sweep = {
  start: () => void;
  /** Removes all that is past its time, a little at a time. */
  sweep: () => Promise<number>;
  /** Waits for the statement under way. Rejects never. */
  stop: () => Promise<void>;
};

const sweepEveryMs = 10 * 60_000;
/** Small: a row may hold a megabyte, and calls are waiting. */
const batchRows = 200;

export function createSweep({
  sql,
  retention,
  log,
}: {
  sql: Sql;
  retention: Retention;
  log?: Pick<Log, 'warn'>;
}): Sweep {
  let timer: NodeJS.Timeout | null = null;
  let stopped = false;
  let running: Promise<unknown> = Promise.resolve();

  async function sweep(): Promise<number> {
    const keptSince = retention.keptSince();
    let removed = 0;
    for (let count = batchRows; count > 0 && !stopped; removed += count)
      count = await deleteExpiredCalls(sql, keptSince, batchRows);
    return removed;
  }

  function sweepQuietly(): void {
    // The next round finds what this one left.
    running = sweep().catch((error: unknown) => log?.warn({ err: error }, 'expired saved calls are not removed yet'));
  }

  return {
    start() {
      timer ??= setInterval(sweepQuietly, sweepEveryMs).unref();
    },
    sweep,
    async stop() {
      stopped = true;
      if (timer) clearInterval(timer);
      await running;
    },
  };
}
