import type { Contract } from '#http';
import {
  addedSchema,
  bulkResultSchema,
  createExamplesDocumented,
  exampleSchema,
  examplesPageSchema,
  updateExampleDocumented,
} from './examples.schema.ts';

const tag = 'datasets';

const text = {
  messages: [
    { content: 'Where is my parcel?', role: 'user' },
    { content: 'May I have its number?', role: 'assistant' },
  ],
  tools: null,
};

const embedding = {
  query: 'how do I get my money back',
  positives: [{ text: 'Refunds are paid within five days.', document_id: 'faq-12' }],
  negatives: [{ text: 'Parcels leave our house every evening.', document_id: null }],
};

const example = {
  id: 'ex_01KAXR8G9J1M3P5R7T9W1Y3A5C',
  dataset_id: 'ds_01KAXR6E7G9J1M3P5R7T9W1Y3A',
  kind: 'text',
  text,
  embedding: null,
  split: 'train',
  origin: 'manual',
  origin_id: null,
  tokens: 27,
  valid: true,
  issues: [],
  content_hash: '4b825dc642cb6eb9a060e54bf8d69288fbee49041f1c6a0d2b7e4c83a5f0e1d2',
  created_at: '2026-01-02T03:04:05.678Z',
  updated_at: '2026-01-02T03:04:05.678Z',
};

const one = { description: 'The example.', schema: exampleSchema, example };

export const listContract: Contract = {
  tag,
  summary: 'List examples',
  description:
    'The examples of a dataset or of one of its versions, newest first, for the owner. A cursor belongs to the dataset, the search text and all filters. A search counts up to 10,000 examples. The words of a large import are indexed in the background; until that is done, a search may not find all of them. In both cases `total_count_is_exact` is false.',
  answers: {
    200: {
      description: 'A page of examples.',
      schema: examplesPageSchema,
      example: { data: [example], next_cursor: null, total_count: 1, total_count_is_exact: true },
    },
  },
  faults: ['invalid_cursor', 'not_found'],
};

export const createContract: Contract = {
  tag,
  summary: 'Add examples',
  description:
    'Each is added for itself: one that is wrong, or that the dataset has already, never sinks the rest. The results say what became of each. An example that is longer than the model takes is kept and marked, but no version takes it.',
  body: createExamplesDocumented,
  bodyExamples: [
    { title: 'A conversation', value: { examples: [{ text, split: 'train' }] } },
    { title: 'A query and what it should find', value: { examples: [{ embedding }] } },
  ],
  answers: {
    200: {
      description: 'What became of each example.',
      schema: addedSchema,
      example: {
        results: [
          { index: 0, status: 'created', id: example.id, issues: [] },
          { index: 1, status: 'duplicate', id: null, issues: [] },
        ],
      },
    },
  },
  faults: ['not_found', 'owner_required', 'state_conflict', 'in_use', 'capacity_unavailable'],
  idempotent: true,
};

export const bulkContract: Contract = {
  tag,
  summary: 'Move or delete many examples',
  description:
    'Moves up to 1,000 examples to a split, or takes them out of the dataset, in one change. Which ones is said by their ids or by a filter of the list. With a filter, repeat the request until `remaining` is 0. Contents, and what others have changed meanwhile, stay as they are.',
  bodyExamples: [
    { title: 'By their ids', value: { action: 'move', split: 'test', ids: [example.id] } },
    { title: 'All that match', value: { action: 'delete', filter: { q: 'parcel', split: 'train' } } },
  ],
  answers: {
    200: {
      description: 'What was changed.',
      schema: bulkResultSchema,
      example: { changed: 1, ids: [example.id], unchanged: 0, missing: 0, remaining: 0 },
    },
  },
  faults: ['not_found', 'owner_required', 'state_conflict', 'in_use'],
  idempotent: true,
};

export const readContract: Contract = {
  tag,
  summary: 'Read an example',
  description: 'An example with its tokens, its split and what is wrong with it.',
  answers: { 200: one },
  faults: ['not_found'],
};

export const updateContract: Contract = {
  tag,
  summary: 'Change an example',
  description:
    'Gives an example another content or split. Its id stays, and versions keep what they have. What already is as asked for stays as it is.',
  body: updateExampleDocumented,
  bodyExample: { split: 'test' },
  answers: {
    200: {
      ...one,
      description: 'The example as it is now.',
      example: { ...example, split: 'test', updated_at: '2026-01-05T08:15:00.123Z' },
    },
  },
  faults: ['not_found', 'owner_required', 'state_conflict', 'kind_mismatch', 'in_use', 'capacity_unavailable'],
};

export const deleteContract: Contract = {
  tag,
  summary: 'Remove an example',
  description: 'Takes an example out of the dataset; versions that have it keep it. The second time is 404.',
  answers: { 204: { description: 'The example is removed.' } },
  faults: ['not_found', 'owner_required', 'state_conflict', 'in_use'],
};
