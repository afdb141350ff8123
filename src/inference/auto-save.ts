import { setTimeout as sleep } from 'node:timers/promises';
import { createBatcher, type Sql } from '#db';
import type { Finished } from '#engine';
import { createInFlight, isUnavailableFault, type Log } from '#kernel';
import { createRecord, type RecordedInput, type SavedCallSource } from './auto-save-record.ts';
import type { NamedDelta } from './collected-answer.ts';
import type { NewSavedCall } from './saved-calls.store.ts';
import { insertSavedCalls } from './saved-calls.store.ts';

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
/** Of one statement. */
const batchCalls = 64;
/** Of all that waits or is being written: a database that is away must not fill the memory. */
const mostCharacters = 32_000_000;

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
  const inFlight = createInFlight();
  const stopping = new AbortController();
  let characters = 0;
  const batcher = createBatcher<NewSavedCall, boolean>({
    name: 'inference.save_calls',
    lanes: 1,
    maxItems: batchCalls,
    isIsolated: true,
    run: async (calls) => {
      const stored = await insertWithRetries(calls);
      return calls.map(({ requestId }) => stored.has(requestId));
    },
  });

  async function insertWithRetries(calls: readonly NewSavedCall[]): Promise<ReadonlySet<string>> {
    const giveUpAt = performance.now() + times.timeoutMs;
    for (;;) {
      try {
        return await insertSavedCalls(sql, calls);
      } catch (error) {
        if (!isUnavailableFault(error) || stopping.signal.aborted || performance.now() > giveUpAt) throw error;
        await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
      }
    }
  }

  function drop(err: unknown): void {
    counts.dropped += 1;
    log?.warn({ err }, 'a call was not saved');
  }

  async function save(call: NewSavedCall): Promise<void> {
    const size = sizeOf(call);
    if (characters + size > mostCharacters) return drop(new Error('Too many calls wait to be saved.'));
    characters += size;
    try {
      if (await batcher.submit(call)) counts.stored += 1;
      else counts.skipped += 1;
    } catch (error) {
      drop(error);
    } finally {
      characters -= size;
    }
  }

  return {
    record(call, input) {
      const record = createRecord(call, input);
      return {
        add: record.add,
        finish: ({ reason, ...finished }) => {
          if (reason === 'cancelled') return;
          try {
            void inFlight.track(save(record.of({ reason, ...finished })));
          } catch (error) {
            drop(error);
          }
        },
      };
    },
    counts: () => counts,
    async stop() {
      const bound = sleep(times.stopMs, undefined, { ref: false }).then(() => stopping.abort());
      await Promise.race([inFlight.drained(), bound.then(() => sleep(pauseMs, undefined, { ref: false }))]);
    },
  };
}

const sizeOf = ({ messages, tools, answer, searchText }: NewSavedCall): number =>
  messages.length + tools.length + answer.length + searchText.length;
