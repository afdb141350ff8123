import { type Contract, pageSchema } from '#http';
import { indexSchema } from './indexes.schema.ts';

const tag = 'datasets';

const example = {
  id: 'idx_01KAXR9A3B5C7D9E1F3G5H7J9K',
  dataset_id: 'ds_01KAXR6E7G9J1M3P5R7T9W1Y3A',
  version_id: 'dsv_01KAXR7F8H0K2N4Q6S8V0X2Z4B',
  model: 'search',
  base_model: 'fanfold-tiny-embed',
  model_revision: 2,
  dimensions: 128,
  documents: 5210,
  truncated: 3,
  state: 'ready',
  progress: { phase: null, done: 5210, total: 5210, percent: 100 },
  metrics: {
    recall_at_1: 0.71,
    recall_at_10: 0.93,
    recall_at_100: 0.99,
    mrr_at_10: 0.79,
    ndcg_at_10: 0.82,
    queries: 249,
  },
  error: null,
  active_ms: 48211,
  credits: '0.024150',
  rate: { credits_per_gpu_minute: '0.030000', price_version: '2026-11-20' },
  created_at: '2026-01-05T08:15:00.123Z',
  ready_at: '2026-01-05T08:16:02.480Z',
};

const index = { description: 'The index.', schema: indexSchema, example };

export const listContract: Contract = {
  tag,
  summary: 'List indexes',
  description:
    'The vector indexes of the project, newest first, for its owner. A cursor belongs to the project and to the filter.',
  answers: {
    200: {
      description: 'A page of indexes.',
      schema: pageSchema(indexSchema),
      example: { data: [example], next_cursor: null, total_count: 1 },
    },
  },
  faults: ['invalid_cursor', 'not_found'],
};

export const createContract: Contract = {
  tag,
  summary: 'Build an index',
  description:
    'Embeds the different texts of the positives and negatives of a version, in the background, then measures how well the model finds the positives of the test split. It is charged once, by active time, at the present rate; what is canceled pays for what ran, what fails costs nothing.',
  bodyExample: { version_id: 'dsv_01KAXR7F8H0K2N4Q6S8V0X2Z4B', model: 'search' },
  answers: {
    201: {
      ...index,
      description: 'The index, which waits to be built.',
      example: {
        ...example,
        documents: null,
        truncated: 0,
        state: 'queued',
        progress: { phase: null, done: 0, total: null, percent: null },
        metrics: null,
        active_ms: 0,
        credits: '0.000000',
        ready_at: null,
      },
    },
  },
  faults: [
    'not_found',
    'owner_required',
    'kind_mismatch',
    'state_conflict',
    'insufficient_credits',
    'model_not_found',
    'model_warming',
  ],
  idempotent: true,
};

export const readContract: Contract = {
  tag,
  summary: 'Read an index',
  description: 'The state and progress of an index; once it is `ready`, how well the model finds.',
  answers: { 200: index },
  faults: ['not_found'],
};

export const deleteContract: Contract = {
  tag,
  summary: 'Delete an index',
  description:
    'Deletes an index and its vectors. A build that is in progress is canceled first, and pays for what ran.',
  answers: { 204: { description: 'It is gone.' } },
  faults: ['not_found', 'owner_required', 'state_conflict'],
};

export const cancelContract: Contract = {
  tag,
  summary: 'Cancel a build',
  description:
    'Ends a build that waits or is in progress, at once; it pays for what ran. One that is canceled stays as it is.',
  answers: { 200: { ...index, example: { ...example, state: 'canceled', metrics: null, ready_at: null } } },
  faults: ['not_found', 'owner_required', 'state_conflict'],
};
