import { channel } from 'node:diagnostics_channel';

/**
 * Natural batching: what is asked in one turn of the event loop shares one run, and what arrives while all lanes are
 * busy leaves together as soon as one of them returns. There is no timer, so a lone item waits for nothing, or, where a run
 * is patient and others may come, for a turn that brings none.
 */
export type Batcher<In, Out> = {
  /**
   * Settles with this item's own result, or with the error of the run that carried it. `sent` is called when that run has begun and its
   * statement is on its way, for work that nobody needs to wait for; it must not throw.
   */
  submit: (item: In, sent?: () => void) => Promise<Out>;
  /** Items that wait for a lane. */
  depth: () => number;
};

export type BatcherOptions<In, Out> = {
  /** Tells its runs from others to those who listen with `onBatchRun`; without a name they are not told. */
  name?: string;
  /** Runs in flight at most. */
  lanes: number;
  /** Items of one run at most. */
  maxItems: number;
  /** So many turns more, at most, a run waits for others, as long as each turn has brought some; 0 by default. */
  patienceTurns?: number;
  /**
   * How many there are of what items come from, as calls under way. A patient run waits for as many as there were lately, at most,
   * or for half of them where those are sixteen. Without it: for as many as runs carried.
   */
  underWay?: () => number;
  /** Answers with one result per item, in the same order. */
  run: (items: readonly In[]) => Promise<readonly Out[]>;
};

/** One run of a named batcher, for the operator. */
export type BatchRun = {
  batcher: string;
  size: number;
  /** How long its oldest item waited. */
  waitedMs: number;
  tookMs: number;
  failed: boolean;
};

const batchRuns = channel('fanfold:batch-run');

/**
 * Tells every run of every named batcher of this process, until the returned function is called. While nobody listens,
 * batchers take no times.
 */
export function onBatchRun(listener: (run: BatchRun) => void): () => void {
  // Only `runBatch` publishes here.
  const onMessage = (run: unknown) => listener(run as BatchRun);
  batchRuns.subscribe(onMessage);
  return () => void batchRuns.unsubscribe(onMessage);
}

type Waiting<In, Out> = {
  item: In;
  sent: (() => void) | undefined;
  resolve: (result: Out) => void;
  reject: (error: unknown) => void;
  /** 0 while nobody listens. */
  sinceMs: number;
};

/** So many share a statement well, which costs about as much as ten charges by itself. */
const wellShared = 16;
/** Of the most of late, with each run. */
const forgetting = 0.95;

export function createBatcher<In, Out>(options: BatcherOptions<In, Out>): Batcher<In, Out> {
  const { name, lanes, maxItems, patienceTurns = 0, underWay = () => 0, run } = options;
  const isTold = () => name !== undefined && batchRuns.hasSubscribers;
  let waiting: Waiting<In, Out>[] = [];
  let running = 0;
  let scheduled = false;
  let looking = false;
  /** Since the last run began: turns in which what waits was looked at and left to grow, and how much it was then. */
  let looked = { turns: 0, waiting: 0 };
  /** For how many a patient run waits: the most of late, forgotten little by little. */
  let expected = 0;

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    // After the poll phase: every request that was readable in this turn has been parsed and submitted by then.
    setImmediate(() => {
      scheduled = false;
      startRuns();
    });
  }

  /**
   * Enough for a run are looked for when everything is done that this event led to. At the end of the next turn would be late: by
   * then the engines' answers to the very calls that wait here may have been read, and the statement runs while nobody has anything
   * else to do.
   */
  function lookSoon(): void {
    if (looking || patienceTurns === 0) return;
    looking = true;
    process.nextTick(() => {
      looking = false;
      if (running < lanes && isEnough()) startRuns();
    });
  }

  /** While one half is in PostgreSQL, the server has the other half to work on. */
  function isEnough(): boolean {
    const { length } = waiting;
    return length >= maxItems || length * (length >= wellShared ? 2 : 1) >= Math.max(expected, underWay());
  }

  /**
   * Those who are answered together ask again together, but are read in some turns one after the other: without patience the
   * first of them would leave alone, and the others wait for its whole run.
   */
  function isGrowing(): boolean {
    const { turns, waiting: before } = looked;
    return turns < patienceTurns && waiting.length > before && !isEnough();
  }

  function startRuns(): void {
    if (running < lanes && isGrowing()) {
      looked = { turns: looked.turns + 1, waiting: waiting.length };
      schedule();
      return;
    }
    looked = { turns: 0, waiting: 0 };
    if (running < lanes && waiting.length > 0) expected = Math.max(waiting.length, underWay(), expected * forgetting);
    while (running < lanes && waiting.length > 0) {
      const batch = waiting.length <= maxItems ? waiting : waiting.slice(0, maxItems);
      waiting = batch === waiting ? [] : waiting.slice(maxItems);
      running++;
      void runBatch(batch);
    }
  }

  async function runBatch(batch: Waiting<In, Out>[]): Promise<void> {
    const startMs = isTold() ? performance.now() : 0;
    let failed = false;
    try {
      const running = run(batch.map(({ item }) => item));
      if (batch.some(({ sent }) => sent !== undefined)) setImmediate(tellSent, batch);
      const results = await running;
      if (results.length !== batch.length)
        throw new Error(`A run of ${batch.length} items gave ${results.length} results. This is a bug.`);
      for (const [index, { resolve }] of batch.entries()) {
        // The lengths agree, so the index is in range even where Out admits undefined.
        resolve(results[index] as Out);
      }
    } catch (error) {
      failed = true;
      for (const { reject } of batch) reject(error);
    } finally {
      running--;
      startRuns();
      if (startMs > 0) tell(batch, startMs, failed);
    }
  }

  function tellSent(batch: readonly Waiting<In, Out>[]): void {
    for (const { sent } of batch) sent?.();
  }

  function tell(batch: readonly Waiting<In, Out>[], startMs: number, failed: boolean): void {
    const sinceMs = batch[0]?.sinceMs || startMs;
    const [waitedMs, tookMs] = [startMs - sinceMs, performance.now() - startMs];
    batchRuns.publish({ batcher: name, size: batch.length, waitedMs, tookMs, failed });
  }

  return {
    submit: (item, sent) =>
      new Promise<Out>((resolve, reject) => {
        waiting.push({ item, sent, resolve, reject, sinceMs: isTold() ? performance.now() : 0 });
        if (running === lanes) return;
        schedule();
        lookSoon();
      }),
    depth: () => waiting.length,
  };
}
