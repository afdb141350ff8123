import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '#db';
import type { Finished } from '#engine';
import { isUnavailableFault, type Log } from '#kernel';
import { createRecord, type RecordedInput, type SavedCallSource } from './auto-save-record.ts';
import type { NamedDelta } from './collected-answer.ts';
import type { NewSavedCall } from './saved-calls.store.ts';
import { insertSavedCalls } from './saved-calls.store.ts';
import { createWaitingCalls } from './waiting-calls.ts';

/**
 * Saves calls of projects with auto-save, beside the calls themselves: nothing here is waited for and nothing throws, so
 * neither a slow database nor a failing one delays or fails an answer. What waits is written in batches, one statement
 * at a time, after its call was charged: a crash loses what waits, and never a charge.
 */
export type AutoSave = {
  /** Listens to a call of a project with auto-save. */
  record: (call: SavedCallSource, input: RecordedInput) => Recording;
  /** What became of the calls so far. */
  counts: () => Readonly<AutoSaveCounts>;
  /** Writes what waits, within a bound. Rejects never. */
  stop: () => Promise<void>;
};

/** Listens to one call. */
type Recording = {
  add: (delta: NamedDelta) => void;
  /** Saves the call; to be called once it is charged. A call that its caller left is not saved: half an answer is no example. */
  finish: (finished: Finished) => void;
};

/** `skipped`: switched off meanwhile, or saved already; `dropped`: no capacity, or the database was away too long. */
type AutoSaveCounts = { stored: number; skipped: number; dropped: number };

export type AutoSaveTiming = {
  /** How long the database may be away before calls are given up. */
  timeoutMs: number;
  /** How long the end of the process waits. */
  stopMs: number;
};

const defaultTiming: AutoSaveTiming = { timeoutMs: 30_000, stopMs: 3_000 };

const pauseMs = 500;

export function createAutoSave({
  sql,
  log,
  timing,
}: {
  sql: Sql;
  log?: Pick<Log, 'warn'>;
  timing?: Partial<AutoSaveTiming>;
}): AutoSave {
  const times = { ...defaultTiming, ...timing };
  const counts: AutoSaveCounts = { stored: 0, skipped: 0, dropped: 0 };
  const waiting = createWaitingCalls();
  let writing: Promise<void> | null = null;
  const stopping = new AbortController();

  function drop(calls: number, why: string, error?: unknown): void {
    counts.dropped += calls;
    log?.warn({ err: error, calls }, why);
  }

  async function writeAll(): Promise<void> {
    try {
      for (let batch = waiting.takeBatch(); batch.length > 0; batch = waiting.takeBatch()) {
        await writeBatch(batch);
        waiting.free(batch);
      }
    } finally {
      // At once when nothing waits: what comes next must not count on a loop that has ended.
      writing = null;
    }
  }

  async function writeBatch(batch: readonly NewSavedCall[]): Promise<void> {
    try {
      const stored = await writeWithRetries(batch);
      counts.stored += stored;
      counts.skipped += batch.length - stored;
    } catch (error) {
      if (isUnavailableFault(error)) drop(batch.length, 'saved calls are lost: the database is away', error);
      else if (batch.length > 1) for (const call of batch) await writeBatch([call]);
      else drop(batch.length, 'a call cannot be saved', error);
    }
  }

  async function writeWithRetries(batch: readonly NewSavedCall[]): Promise<number> {
    const giveUpAt = performance.now() + times.timeoutMs;
    for (;;) {
      try {
        return await insertSavedCalls(sql, batch);
      } catch (error) {
        if (!isUnavailableFault(error) || stopping.signal.aborted || performance.now() > giveUpAt) throw error;
        await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
      }
    }
  }

  function save(call: NewSavedCall): void {
    if (!waiting.add(call)) {
      drop(1, 'a call is not saved: too many wait');
      return;
    }
    writing ??= writeAll();
  }

  return {
    record(call, input) {
      const record = createRecord(call, input);
      return {
        add: record.add,
        finish: ({ reason, ...finished }) => {
          if (reason === 'cancelled') return;
          try {
            save(record.of({ reason, ...finished }));
          } catch (error) {
            drop(1, 'a call cannot be saved', error);
          }
        },
      };
    },
    counts: () => counts,
    async stop() {
      const bound = sleep(times.stopMs, undefined, { ref: false }).then(() => stopping.abort());
      await Promise.race([writing, bound.then(() => sleep(pauseMs, undefined, { ref: false }))]);
    },
  };
}
