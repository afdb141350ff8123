import type { Sql } from '#db';
import { AttemptFailure } from '../jobs/failures.ts';
import type { TrainingJob } from '../jobs/job.ts';
import { findHello } from '../logs/logs.store.ts';
import { resultPrefix } from '../metrics/metrics.store.ts';
import type { Trained } from './ports.ts';
import { readLastMetrics } from './take-in.store.ts';

/** What is known of an attempt whose trainer is done, whoever has seen it being done. */
export async function readTrained(sql: Sql, job: TrainingJob, outFolder: string): Promise<Trained> {
  const name = { jobId: job.id, attempt: job.attempt };
  if (!job.snapshot) throw new AttemptFailure('internal_error', 'The snapshot of the data is not known any more.');
  const [result, measured, baseline, hello] = await Promise.all([
    readLastMetrics(sql, name, resultPrefix),
    readLastMetrics(sql, name, 'eval.'),
    readLastMetrics(sql, name, 'baseline.'),
    findHello(sql, job.id, job.attempt),
  ]);
  // The weights that are kept are the best ones, which need not be those of the last evaluation on the way.
  const metrics = Object.keys(result).length > 0 ? result : measured;
  return {
    ...{ job, snapshot: job.snapshot, outFolder, metrics, versions: hello },
    baselineMetrics: Object.keys(baseline).length > 0 ? baseline : null,
  };
}
