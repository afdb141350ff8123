import { channel } from 'node:diagnostics_channel';
import { Fault, fault } from '#kernel';
import { sqlState } from './sqlstate.ts';

/**
 * Batching without a timer: items of two turns of the event loop share one run, and items that arrive while all lanes are busy
 * leave together when one of them has returned. When nothing else happens, two turns take microseconds.
 */
export type Batcher<In, Out> = {
  /** Settles with this item's own result, or with the error of the run that carried it. */
  submit: (item: In) => Promise<Out>;
  /** Items that wait for a lane. */
  depth: () => number;
};

export type BatcherOptions<In, Out> = {
  /** Names its runs for `onBatchRun`; runs without a name are not reported. */
  name?: string;
  /** Runs in flight at most. */
  lanes: number;
  /** Items of one run at most. */
  maxItems: number;
  /** Returns one result per item, in the same order. */
  run: RunBatch<In, Out>;
  /** See `runIsolated`; left out: an error fails all items of a run. */
  isIsolated?: boolean;
};

/** One run of a named batcher, for metrics. */
export type BatchRun = {
  batcher: string;
  size: number;
  /** How long its oldest item waited. */
  waitedMs: number;
  tookMs: number;
  failed: boolean;
};

const batchRuns = channel('fanfold:batch-run');

/** Calls the listener for every run of every named batcher of this process, until the returned function is called. */
export function onBatchRun(listener: (run: BatchRun) => void): () => void {
  // Only `runBatch` publishes here.
  const onMessage = (run: unknown) => listener(run as BatchRun);
  batchRuns.subscribe(onMessage);
  return () => void batchRuns.unsubscribe(onMessage);
}

type Waiting<In, Out> = {
  item: In;
  resolve: (result: Out) => void;
  reject: (error: unknown) => void;
  sinceMs: number;
};

export function createBatcher<In, Out>(options: BatcherOptions<In, Out>): Batcher<In, Out> {
  const { name, lanes, maxItems, isIsolated = false } = options;
  let waiting: Waiting<In, Out>[] = [];
  let running = 0;
  let isScheduled = false;

  function startRuns(): void {
    isScheduled = false;
    while (running < lanes && waiting.length > 0) {
      const batch = waiting.slice(0, maxItems);
      waiting = waiting.slice(maxItems);
      running++;
      void runBatch(batch);
    }
  }

  function schedule(): void {
    if (running === lanes || isScheduled || waiting.length === 0) return;
    isScheduled = true;
    // After the next poll phase: what this turn and the next one read has been submitted by then. One turn alone makes
    // smaller batches and takes 5 to 19 % more processor time per call.
    setImmediate(() => setImmediate(startRuns));
  }

  async function run(items: readonly In[]): Promise<readonly Out[]> {
    const results = await options.run(items);
    if (results.length === items.length) return results;
    throw new Error(`A run of ${items.length} items gave ${results.length} results. This is a bug.`);
  }

  async function runBatch(batch: readonly Waiting<In, Out>[]): Promise<void> {
    const startMs = performance.now();
    const items = batch.map(({ item }) => item);
    const outcomes = await (isIsolated ? runIsolated(items, run) : runTogether(items, run));
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.ok) batch[index]?.resolve(outcome.value);
      else batch[index]?.reject(outcome.error);
    }
    running--;
    schedule();
    const failed = outcomes.some(({ ok }) => !ok);
    if (name !== undefined && batchRuns.hasSubscribers) publish(name, { batch, startMs, failed });
  }

  function publish(
    batcher: string,
    { batch, startMs, failed }: { batch: readonly Waiting<In, Out>[]; startMs: number; failed: boolean },
  ): void {
    const waitedMs = startMs - (batch[0]?.sinceMs ?? startMs);
    batchRuns.publish({ batcher, size: batch.length, waitedMs, tookMs: performance.now() - startMs, failed });
  }

  return {
    submit: (item) =>
      new Promise<Out>((resolve, reject) => {
        waiting.push({ item, resolve, reject, sinceMs: performance.now() });
        schedule();
      }),
    depth: () => waiting.length,
  };
}

/** What became of one item of a batch. */
export type BatchOutcome<T> = { ok: true; value: T } | { ok: false; error: unknown };

/** Runs items as one statement: all of them or none. */
type RunBatch<In, Out> = (items: readonly In[]) => Promise<readonly Out[]>;

async function runTogether<In, Out>(items: readonly In[], run: RunBatch<In, Out>): Promise<BatchOutcome<Out>[]> {
  try {
    return (await run(items)).map((value) => ({ ok: true, value }));
  } catch (error) {
    return items.map(() => ({ ok: false, error }));
  }
}

// Deadlock and serialization failure: nothing was done, and the same statement may work now.
const lostRaceStates = new Set(['40P01', '40001']);
const attempts = 5;
// Cardinality, data, constraint, syntax or access: the statement is refused for what it says. Everything else
// (a timeout, a restart, a database that takes no connections, ...) is the database's own failure.
const refusalClass = /^(21|22|23|42)/;

/**
 * Runs a batch. Lost races are run again. When the database refuses the statement for what it contains, it is split
 * until only the item at fault fails, so that one caller's bad value never fails another's call. A failure of the
 * database fails all items alike, with `service_unavailable`.
 */
export async function runIsolated<In, Out>(items: readonly In[], run: RunBatch<In, Out>): Promise<BatchOutcome<Out>[]> {
  try {
    const results = await runRepeatedly(items, run);
    return results.map((value) => ({ ok: true, value }));
  } catch (cause) {
    const error = asFailure(cause);
    if (items.length === 1 || error instanceof Fault) return items.map(() => ({ ok: false, error }));
    const half = Math.ceil(items.length / 2);
    return [...(await runIsolated(items.slice(0, half), run)), ...(await runIsolated(items.slice(half), run))];
  }
}

async function runRepeatedly<In, Out>(items: readonly In[], run: RunBatch<In, Out>): Promise<readonly Out[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run(items);
    } catch (error) {
      if (!lostRaceStates.has(sqlState(error) ?? '') || attempt === attempts) throw error;
    }
  }
}

function asFailure(error: unknown): unknown {
  const state = error instanceof Fault ? null : sqlState(error);
  if (state === null || refusalClass.test(state)) return error;
  return fault('service_unavailable', { retryAfterSeconds: 1, cause: error });
}
