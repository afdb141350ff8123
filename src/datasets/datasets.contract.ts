import { type Contract, pageSchema } from '#http';
import { datasetSchema, limitsSchema } from './datasets.schema.ts';

const tag = 'datasets';

const example = {
  id: 'ds_01KAXR6E7G9J1M3P5R7T9W1Y3A',
  name: 'Support answers',
  description: 'Questions of customers and what we answered',
  kind: 'text',
  target_model: null,
  example_count: 1250,
  split_counts: { train: 1000, test: 250 },
  invalid_count: 2,
  token_total: 187403,
  head_sha256: null,
  latest_version: { id: 'dsv_01KAXR7F8H0K2N4Q6S8V0X2Z4B', number: 3 },
  pending_retrieval_events: 0,
  archived_at: null,
  created_at: '2026-01-02T03:04:05.678Z',
  updated_at: '2026-01-05T08:15:00.123Z',
};

const empty = {
  ...example,
  example_count: 0,
  split_counts: { train: 0, test: 0 },
  invalid_count: 0,
  token_total: 0,
  latest_version: null,
  updated_at: '2026-01-02T03:04:05.678Z',
};

export const limitsContract: Contract = {
  tag,
  summary: 'Read the limits of datasets',
  description: 'What datasets of this project may hold, and what they hold; for its owner.',
  answers: {
    200: {
      description: 'The limits.',
      schema: limitsSchema,
      example: {
        max_datasets: 1000,
        max_examples_per_dataset: 5000000,
        max_example_tokens: 4096,
        max_import_bytes: 10737418240,
        max_import_rows: 5000000,
        max_versions_per_dataset: 1000,
        max_indexes: 100,
        max_retrieval_batch: 100,
        max_results_per_event: 50,
        min_training_examples: 10,
        used: { datasets: 2, examples: 1310, bytes: 904113 },
      },
    },
  },
  faults: ['not_found'],
};

export const listContract: Contract = {
  tag,
  summary: 'List datasets',
  description:
    'The datasets of the project, newest first, for its owner. A cursor belongs to the project and to all filters.',
  answers: {
    200: {
      description: 'A page of datasets.',
      schema: pageSchema(datasetSchema),
      example: { data: [example], next_cursor: null, total_count: 1 },
    },
  },
  faults: ['invalid_cursor', 'not_found'],
};

export const createContract: Contract = {
  tag,
  summary: 'Create a dataset',
  description:
    'It is of the kind of its project: conversations to learn from, or queries with what they should find. Names need not be unique.',
  bodyExample: { name: 'Support answers', description: 'Questions of customers and what we answered' },
  answers: { 201: { description: 'The new dataset.', schema: datasetSchema, example: empty } },
  faults: ['not_found', 'owner_required', 'state_conflict', 'model_not_found', 'kind_mismatch'],
  idempotent: true,
};

export const readContract: Contract = {
  tag,
  summary: 'Read a dataset',
  description: 'A dataset with the counts of what it holds now.',
  answers: { 200: { description: 'The dataset.', schema: datasetSchema, example } },
  faults: ['not_found'],
};

export const updateContract: Contract = {
  tag,
  summary: 'Change a dataset',
  description:
    'Changes the given fields, archives or unarchives. What already is as asked for stays as it is. An archived dataset can only be unarchived, together with other changes if you like; its versions stay.',
  bodyExample: { archived: true },
  answers: {
    200: {
      description: 'The dataset as it is now.',
      schema: datasetSchema,
      example: { ...example, archived_at: '2026-01-06T09:00:00.000Z' },
    },
  },
  faults: ['not_found', 'owner_required', 'state_conflict', 'in_use'],
};
