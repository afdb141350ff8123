/**
 * Natural batching: what is asked in one turn of the event loop shares one run, and what arrives while all lanes are
 * busy leaves together as soon as one of them returns. There is no timer, so a lone item waits for nothing.
 */
export type Batcher<In, Out> = {
  /** Settles with this item's own result, or with the error of the run that carried it. */
  submit: (item: In) => Promise<Out>;
  /** Items that wait for a lane. */
  depth: () => number;
};

export type BatcherOptions<In, Out> = {
  /** Runs in flight at most. */
  lanes: number;
  /** Items of one run at most. */
  maxItems: number;
  /** Answers with one result per item, in the same order. */
  run: (items: readonly In[]) => Promise<readonly Out[]>;
};

type Waiting<In, Out> = { item: In; resolve: (result: Out) => void; reject: (error: unknown) => void };

export function createBatcher<In, Out>({ lanes, maxItems, run }: BatcherOptions<In, Out>): Batcher<In, Out> {
  let waiting: Waiting<In, Out>[] = [];
  let running = 0;
  let scheduled = false;

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    // After the poll phase: every request that was readable in this turn has been parsed and submitted by then.
    setImmediate(() => {
      scheduled = false;
      startRuns();
    });
  }

  function startRuns(): void {
    while (running < lanes && waiting.length > 0) {
      const batch = waiting.length <= maxItems ? waiting : waiting.slice(0, maxItems);
      waiting = batch === waiting ? [] : waiting.slice(maxItems);
      running++;
      void runBatch(batch);
    }
  }

  async function runBatch(batch: Waiting<In, Out>[]): Promise<void> {
    try {
      const results = await run(batch.map(({ item }) => item));
      if (results.length !== batch.length)
        throw new Error(`A run of ${batch.length} items gave ${results.length} results. This is a bug.`);
      for (const [index, { resolve }] of batch.entries()) {
        // The lengths agree, so the index is in range even where Out admits undefined.
        resolve(results[index] as Out);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      running--;
      startRuns();
    }
  }

  return {
    submit: (item) =>
      new Promise<Out>((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        if (running < lanes) schedule();
      }),
    depth: () => waiting.length,
  };
}
