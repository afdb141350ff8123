import type { Database } from '#db';
import type { ObjectStore } from '#objects';
import { findDataset } from '../../datasets.store.ts';
import type { ExampleTokenCounter } from '../../examples/new-examples.ts';
import type { RunningImport } from '../import-runs.store.ts';
import type { ProgressReporter } from './progress-reporter.ts';
import type { WorkBounds } from './protocol.ts';
import type { TokenCounterFor } from './token-counting.ts';

export type WorkDeps = {
  database: Database;
  objects: ObjectStore;
  bounds: WorkBounds;
  tempDir: string;
  tokenCounterFor: TokenCounterFor;
};

export type Job = WorkDeps & { run: RunningImport; progress: ProgressReporter };

export async function tokenCounterOf({
  run,
  database,
  tokenCounterFor,
}: Pick<Job, 'run' | 'database' | 'tokenCounterFor'>): Promise<ExampleTokenCounter | null> {
  const { kind, projectId, datasetId } = run;
  const dataset = datasetId === null ? null : await findDataset(database, { projectId, id: datasetId });
  return tokenCounterFor({ kind, targetModel: dataset?.targetModel ?? null });
}
