import { type BatchRun, onBatchRun } from '#db';
import { createCounter, createHistogram } from './series.ts';

const sizeBuckets = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
const timeBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 15];

/** Statements that many requests share. */
export function watchBatches() {
  const labelNames = ['batcher'];
  const sizes = createHistogram({
    name: 'fanfold_batch_size',
    help: 'Items of one shared statement.',
    labelNames,
    buckets: sizeBuckets,
  });
  const waits = createHistogram({
    name: 'fanfold_batch_wait_seconds',
    help: 'Time that the oldest item of a shared statement waited for it to start.',
    labelNames,
    buckets: timeBuckets,
  });
  const runs = createHistogram({
    name: 'fanfold_batch_run_seconds',
    help: 'Time of a shared statement, its commit included.',
    labelNames,
    buckets: timeBuckets,
  });
  const failures = createCounter({
    name: 'fanfold_batch_failures_total',
    help: 'Shared statements that failed as a whole.',
    labelNames,
  });
  const stop = onBatchRun(({ batcher, size, waitedMs, tookMs, failed }: BatchRun) => {
    const labels = [batcher];
    sizes.observe(labels, size);
    waits.observe(labels, waitedMs / 1000);
    runs.observe(labels, tookMs / 1000);
    if (failed) failures.add(labels);
  });
  return { families: [sizes, waits, runs, failures], stop };
}
