import { channel } from 'node:diagnostics_channel';

/**
 * Natural batching: items of one turn of the event loop share one run, and items that arrive while all lanes are busy leave
 * together as soon as one of them returns. There is no timer, so a lone item waits for nothing.
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
  run: (items: readonly In[]) => Promise<readonly Out[]>;
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

export function createBatcher<In, Out>({ name, lanes, maxItems, run }: BatcherOptions<In, Out>): Batcher<In, Out> {
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

  async function runBatch(batch: readonly Waiting<In, Out>[]): Promise<void> {
    const startMs = performance.now();
    let failed = false;
    try {
      const results = await run(batch.map(({ item }) => item));
      if (results.length !== batch.length)
        throw new Error(`A run of ${batch.length} items gave ${results.length} results. This is a bug.`);
      // The lengths agree, so the index is in range even where Out admits undefined.
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Out);
    } catch (error) {
      failed = true;
      for (const { reject } of batch) reject(error);
    } finally {
      running--;
      startRuns();
      if (name !== undefined && batchRuns.hasSubscribers) publish(name, { batch, startMs, failed });
    }
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
        if (running === lanes || isScheduled) return;
        isScheduled = true;
        // After the poll phase: every request that was readable in this turn has been parsed and submitted by then.
        setImmediate(startRuns);
      }),
    depth: () => waiting.length,
  };
}
