import type { Database } from '#db';
import type { ObjectStore } from '#objects';
import { findDataset } from '../../datasets.store.ts';
import type { ExampleTokenCounter } from '../../examples/new-examples.ts';
import type { RunningImport } from '../import-runs.store.ts';
import type { ProgressReporter } from './progress-reporter.ts';
import type { WorkBounds } from './protocol.ts';
import type { TokenCounterFor } from './token-counting.ts';

/** What a worker works with. */
export type WorkDeps = {
  database: Database;
  objects: ObjectStore;
  bounds: WorkBounds;
  tempDir: string;
  tokenCounterFor: TokenCounterFor;
};

/** An attempt at an import. */
export type Job = WorkDeps & { run: RunningImport; progress: ProgressReporter };

/** The token counter of the dataset that an import goes into, or will create. */
export async function tokenCounterOf({
  run,
  database,
  tokenCounterFor,
}: Pick<Job, 'run' | 'database' | 'tokenCounterFor'>): Promise<ExampleTokenCounter | null> {
  const { kind, projectId, datasetId } = run;
  const dataset = datasetId === null ? null : await findDataset(database, { projectId, id: datasetId });
  return tokenCounterFor({ kind, targetModel: dataset?.targetModel ?? null });
}
