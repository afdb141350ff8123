import type { FastifyInstance } from 'fastify';
import type { Database, Sql, Transaction } from '#db';
import type { Jobs } from '#jobs';
import type { CursorCodec } from '#kernel';
import { datasetsRoutes } from './datasets.routes.ts';
import type { Dataset, LockedDataset } from './datasets.store.ts';
import { createDataset, type NewDataset } from './datasets.ts';
import { type ExampleTokensDeps, tokenCounterOf } from './example-tokens.ts';
import { type Addition, addExamples } from './examples/add-examples.ts';
import { type BulkAddition, bulkAdd } from './examples/bulk-add.ts';
import { bulkChangeRoutes } from './examples/bulk-change.routes.ts';
import { examplesRoutes } from './examples/examples.routes.ts';
import { type NewExample, prepareExamples } from './examples/new-examples.ts';
import { replaceExamples } from './examples/replace-examples.ts';
import type { DatasetLimits } from './limits.ts';
import {
  enqueueIndexing,
  indexExamplesTask,
  indexedAtOnce,
  resumeIndexing,
  runIndexing,
} from './search/index-examples.ts';
import { changesRoutes } from './versions/changes.routes.ts';
import { versionsRoutes } from './versions/versions.routes.ts';
import { type Freezing, freezeVersion } from './versions/versions.ts';

export type DatasetsOptions = ExampleTokensDeps & {
  database: Database;
  cursors: CursorCodec;
  jobs: Jobs;
  limits: DatasetLimits;
};

type CountedDataset = Pick<Dataset | LockedDataset, 'kind' | 'targetModel'>;

/** What other rooms do with datasets, under the limits of this installation. */
export type Datasets = ReturnType<typeof createDatasets>;

export function createDatasets(options: DatasetsOptions) {
  const { database, jobs, limits } = options;
  const maxExamples = limits.maxExamplesPerDataset;
  jobs.handle(indexExamplesTask, (payload, run) => runIndexing(database, payload, run));

  return {
    routes: async (app: FastifyInstance): Promise<void> => {
      await app.register(datasetsRoutes(options));
      await app.register(versionsRoutes(options));
      await app.register(changesRoutes(options));
      await app.register(examplesRoutes(options));
      await app.register(bulkChangeRoutes(options));
    },
    /** Takes up background work that was left, once the jobs have started. */
    start: () => resumeIndexing(database, jobs),
    limits,
    tokenCounterOf: (dataset: CountedDataset) => tokenCounterOf(options, dataset),
    /** Before the transaction that adds, as it takes a while. */
    prepare: (dataset: CountedDataset, examples: readonly NewExample[], signal?: AbortSignal) =>
      prepareExamples(examples, {
        kind: dataset.kind,
        tokenCounter: tokenCounterOf(options, dataset),
        ...(signal && { signal }),
      }),
    createDataset: (tx: Sql, dataset: Omit<NewDataset, 'maxDatasets'>) =>
      createDataset(tx, { ...dataset, maxDatasets: limits.maxDatasets }),
    addExamples: (tx: Transaction, addition: Omit<Addition, 'maxExamples'>) =>
      addExamples(tx, { ...addition, maxExamples }),
    bulkAdd: async (tx: Transaction, addition: Omit<BulkAddition, 'maxExamples'>) => {
      const counts = await bulkAdd(tx, { ...addition, maxExamples });
      const { datasetId } = addition;
      if (counts.added > indexedAtOnce) await enqueueIndexing(tx, jobs, datasetId);
      return counts;
    },
    replaceExamples,
    freezeVersion: (tx: Sql, freezing: Omit<Freezing, 'maxVersions'>) =>
      freezeVersion(tx, { ...freezing, maxVersions: limits.maxVersionsPerDataset }),
  };
}
