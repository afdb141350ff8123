import { Counter, Histogram, type Registry } from 'prom-client';
import { type BatchRun, onBatchRun } from '#db';

const sizeBuckets = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
const timeBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 15];

/** Statements that many requests share. Returns what ends the listening. */
export function watchBatches(registry: Registry): () => void {
  const registers = [registry];
  const labelNames = ['batcher'] as const;
  const sizes = new Histogram({
    name: 'fanfold_batch_size',
    help: 'Items of one shared statement.',
    labelNames,
    buckets: sizeBuckets,
    registers,
  });
  const waits = new Histogram({
    name: 'fanfold_batch_wait_seconds',
    help: 'Time that the oldest item of a shared statement waited for it to start.',
    labelNames,
    buckets: timeBuckets,
    registers,
  });
  const runs = new Histogram({
    name: 'fanfold_batch_run_seconds',
    help: 'Time of a shared statement, its commit included.',
    labelNames,
    buckets: timeBuckets,
    registers,
  });
  const failures = new Counter({
    name: 'fanfold_batch_failures_total',
    help: 'Shared statements that failed as a whole.',
    labelNames,
    registers,
  });
  return onBatchRun(({ batcher, size, waitedMs, tookMs, failed }: BatchRun) => {
    sizes.observe({ batcher }, size);
    waits.observe({ batcher }, waitedMs / 1000);
    runs.observe({ batcher }, tookMs / 1000);
    if (failed) failures.inc({ batcher });
  });
}
