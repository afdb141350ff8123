import type { FastifyInstance } from 'fastify';
import type { Database, Sql, Transaction } from '#db';
import type { Jobs } from '#jobs';
import type { CursorCodec } from '#kernel';
import { datasetsRoutes } from './datasets.routes.ts';
import type { Dataset, LockedDataset } from './datasets.store.ts';
import { createDataset, type NewDataset } from './datasets.ts';
import { type ExampleTokensDeps, tokenCounterOf } from './example-tokens.ts';
import { type AddedExample, type Addition, addExamples } from './examples/add-examples.ts';
import { type BulkAddition, type BulkCounts, bulkAdd } from './examples/bulk-add.ts';
import { examplesRoutes } from './examples/examples.routes.ts';
import {
  type ExampleTokenCounter,
  type NewExample,
  type PreparedExample,
  prepareExamples,
} from './examples/new-examples.ts';
import { type ReplacedExample, type Replacement, replaceExamples } from './examples/replace-examples.ts';
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
import { type Freezing, type Frozen, freezeVersion } from './versions/versions.ts';

export type DatasetsOptions = ExampleTokensDeps & {
  database: Database;
  cursors: CursorCodec;
  jobs: Jobs;
  limits: DatasetLimits;
};

type Measured = Pick<Dataset | LockedDataset, 'kind' | 'targetModel'>;

export type Datasets = {
  routes: (app: FastifyInstance) => Promise<void>;
  /** Takes up background work that was left. Once the jobs have started. */
  start: () => Promise<void>;
  limits: DatasetLimits;
  tokenCounterOf: (dataset: Measured) => ExampleTokenCounter | null;
  /** Checks and counts; before the transaction that adds, as it takes a while. */
  prepare: (dataset: Measured, examples: readonly NewExample[], signal?: AbortSignal) => Promise<PreparedExample[]>;
  createDataset: (tx: Sql, dataset: Omit<NewDataset, 'maxDatasets'>) => Promise<Dataset>;
  addExamples: (tx: Transaction, addition: Omit<Addition, 'maxExamples'>) => Promise<AddedExample[]>;
  bulkAdd: (tx: Transaction, addition: Omit<BulkAddition, 'maxExamples'>) => Promise<BulkCounts>;
  replaceExamples: (
    tx: Transaction,
    what: { datasetId: string; replacements: readonly Replacement[] },
  ) => Promise<ReplacedExample[]>;
  freezeVersion: (tx: Sql, freezing: Omit<Freezing, 'maxVersions'>) => Promise<Frozen>;
};

export function createDatasets(options: DatasetsOptions): Datasets {
  const { database, jobs, limits } = options;
  const maxExamples = limits.maxExamplesPerDataset;
  jobs.handle(indexExamplesTask, (payload, run) => runIndexing(database, payload, run));

  return {
    routes: async (app) => {
      await app.register(datasetsRoutes(options));
      await app.register(versionsRoutes(options));
      await app.register(changesRoutes(options));
      await app.register(examplesRoutes(options));
    },
    start: () => resumeIndexing(database, jobs),
    limits,
    tokenCounterOf: (dataset) => tokenCounterOf(options, dataset),
    prepare: (dataset, examples, signal) =>
      prepareExamples(examples, {
        kind: dataset.kind,
        tokenCounter: tokenCounterOf(options, dataset),
        ...(signal && { signal }),
      }),
    createDataset: (tx, dataset) => createDataset(tx, { ...dataset, maxDatasets: limits.maxDatasets }),
    addExamples: (tx, addition) => addExamples(tx, { ...addition, maxExamples }),
    bulkAdd: async (tx, addition) => {
      const counts = await bulkAdd(tx, { ...addition, maxExamples });
      const { datasetId } = addition;
      if (counts.added > indexedAtOnce) await enqueueIndexing(tx, jobs, datasetId);
      return counts;
    },
    replaceExamples,
    freezeVersion: (tx, freezing) => freezeVersion(tx, { ...freezing, maxVersions: limits.maxVersionsPerDataset }),
  };
}
