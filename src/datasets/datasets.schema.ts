import Type, { type Static } from 'typebox';
import { nullable, pageQuery, timestamp } from '#http';
import type { Dataset } from './datasets.store.ts';
import { batchLimits, type LimitsView } from './limits.ts';

export const datasetsQuery = Type.Object({
  ...pageQuery,
  q: Type.Optional(
    Type.String({
      description: 'Only datasets with this text in their name or description; upper and lower case are the same.',
      maxLength: 200,
    }),
  ),
  archived: Type.Optional(
    Type.Boolean({
      description: 'Archived datasets instead of open ones.',
      default: false,
    }),
  ),
});

const name = Type.String({
  description: 'Name for people, on one line.',
  minLength: 1,
  maxLength: 80,
});

/** Not a union: the errors of one would not tell a text that is too long (400) from what is no text (422). */
const description = Type.Unsafe<string | null>({
  description: 'What the dataset is for; null: nothing is said.',
  type: ['string', 'null'],
  maxLength: 500,
});

const targetModel = (description: string) =>
  Type.Unsafe<string | null>({ description, type: ['string', 'null'], maxLength: 63 });

export const createDatasetBody = Type.Object({
  name,
  description: Type.Optional(description),
  target_model: Type.Optional(
    targetModel(
      'Base model whose tokenizer counts the examples, and whose context bounds them; it never changes. Without it the first installed model of the kind counts.',
    ),
  ),
});

export const updateDatasetBody = Type.Object({
  name: Type.Optional(name),
  description: Type.Optional(description),
  archived: Type.Optional(
    Type.Boolean({
      description: 'True puts the dataset into the archive, where it can be read but not changed; false takes it out.',
    }),
  ),
  target_model: Type.Optional(targetModel('Fixed: only the present value is taken.')),
});

const count = (description: string) => Type.Integer({ description, minimum: 0 });

export const splitCountsSchema = Type.Object(
  { train: count('To learn from.'), test: count('To measure with.') },
  { description: 'Examples by split.' },
);

export const datasetSchema = Type.Object(
  {
    id: Type.String({ description: 'Id of the dataset.' }),
    name,
    description,
    kind: Type.Enum(['text', 'embedding'], { description: 'The kind of its project.' }),
    target_model: nullable(Type.String(), 'Base model that counts tokens; null: the first installed one of the kind.'),
    example_count: count('All examples, also those that no version takes.'),
    split_counts: splitCountsSchema,
    invalid_count: count('Of them, examples that no version takes because they are too long.'),
    token_total: count('Tokens of all examples.'),
    head_sha256: nullable(
      Type.String(),
      'SHA-256 of the present content; null: it has changed since the latest version.',
    ),
    latest_version: nullable(
      Type.Object({
        id: Type.String({ description: 'Id of the version.' }),
        number: count('Its number.'),
      }),
      'The version that was frozen last.',
    ),
    pending_retrieval_events: count('Search feedback that waits for a decision.'),
    archived_at: nullable(timestamp('When it was archived.'), 'When it was archived; null: it is open.'),
    created_at: timestamp('When it was made.'),
    updated_at: timestamp('When it or its examples last changed.'),
  },
  { $id: 'Dataset', description: 'A dataset.' },
);

export type DatasetWire = Static<typeof datasetSchema>;

export function datasetToWire(dataset: Dataset): DatasetWire {
  const { trainCount, testCount } = dataset;
  return {
    id: dataset.id,
    name: dataset.name,
    description: dataset.description,
    kind: dataset.kind,
    target_model: dataset.targetModel,
    example_count: trainCount + testCount,
    split_counts: { train: trainCount, test: testCount },
    invalid_count: dataset.invalidCount,
    token_total: Number(dataset.tokenTotal),
    head_sha256: dataset.headSha256,
    latest_version: dataset.latestVersion,
    pending_retrieval_events: dataset.pendingRetrievalEvents,
    archived_at: dataset.archivedAt?.toISOString() ?? null,
    created_at: dataset.createdAt.toISOString(),
    updated_at: dataset.updatedAt.toISOString(),
  };
}

export const limitsSchema = Type.Object(
  {
    max_datasets: count('Open datasets of the project.'),
    max_examples_per_dataset: count('Examples of one dataset.'),
    max_example_tokens: nullable(
      Type.Integer(),
      'Longest example (of a conversation) or text (to embed), tokens, for datasets that name no model; null: no model of this kind is installed.',
    ),
    max_import_bytes: count('Size of an uploaded file.'),
    max_import_rows: count('Rows of an uploaded file.'),
    max_versions_per_dataset: count('Versions of one dataset.'),
    max_indexes: count('Vector indexes of the project.'),
    max_retrieval_batch: count('Retrieval events of one request.'),
    max_results_per_event: count('Results of one retrieval event.'),
    min_training_examples: count('Fewest examples that a training job takes.'),
    used: Type.Object(
      {
        datasets: count('Open datasets.'),
        examples: count('Examples of all datasets.'),
        bytes: count('What they say, as JSON.'),
      },
      { description: 'What the project has.' },
    ),
  },
  { $id: 'DatasetLimits', description: 'Limits of datasets, and what is used of them.' },
);

export function limitsToWire({ limits, maxExampleTokens, used }: LimitsView): Static<typeof limitsSchema> {
  return {
    max_datasets: limits.maxDatasets,
    max_examples_per_dataset: limits.maxExamplesPerDataset,
    max_example_tokens: maxExampleTokens,
    max_import_bytes: limits.maxImportBytes,
    max_import_rows: limits.maxImportRows,
    max_versions_per_dataset: limits.maxVersionsPerDataset,
    max_indexes: limits.maxIndexes,
    max_retrieval_batch: batchLimits.maxRetrievalBatch,
    max_results_per_event: batchLimits.maxResultsPerEvent,
    min_training_examples: limits.minTrainingExamples,
    used: { datasets: used.datasets, examples: used.examples, bytes: Number(used.bytes) },
  };
}
