import type { Contract } from '#http';
import { eventExample, promotedExample } from '../events/event-example.ts';
import { promotedManySchema, promotedSchema } from './promotion.schema.ts';

const tag = 'retrieval_events';

const example = {
  id: 'ex_01KAXR8G9J1M3P5R7T9W1Y3A5C',
  dataset_id: eventExample.dataset_id,
  kind: 'embedding',
  text: null,
  embedding: {
    query: 'how do I get my money back',
    positives: [{ text: 'Refunds are paid within five days.', document_id: 'faq-12' }],
    negatives: [{ text: 'Parcels leave our house every evening.', document_id: 'faq-7' }],
  },
  split: 'train',
  origin: 'retrieval_event',
  origin_id: eventExample.id,
  tokens: 27,
  valid: true,
  issues: [],
  content_hash: '4b825dc642cb6eb9a060e54bf8d69288fbee49041f1c6a0d2b7e4c83a5f0e1d2',
  created_at: '2026-01-05T08:15:00.123Z',
  updated_at: '2026-01-05T08:15:00.123Z',
};

const faults = [
  'not_found',
  'owner_required',
  'embeddings_not_enabled',
  'state_conflict',
  'in_use',
  'capacity_unavailable',
] as const;

export const promoteContract: Contract = {
  tag,
  summary: 'Promote a retrieval event',
  description:
    'Makes a training example of it: its query, what was judged positive, and negatives as the settings say; or what the body chooses. An event becomes one example: a promoted event is answered with what it became, and refused when the body chooses something else. Deleting the example does not reopen it. `details.blockers` lists what stands in the way.',
  bodyExample: { positives: [2], dry_run: false },
  answers: {
    201: {
      description: 'The event and its example.',
      schema: promotedSchema,
      example: { event: promotedExample, examples: [example], leaked_queries: 0 },
    },
    200: {
      description: 'A dry run, or an event that was promoted before.',
      schema: promotedSchema,
      example: { event: eventExample, examples: [{ ...example, id: null }], leaked_queries: 0 },
    },
  },
  faults,
  idempotent: true,
};

export const promoteManyContract: Contract = {
  tag,
  summary: 'Promote many retrieval events',
  description:
    'Promotes the events in `ids`, or the oldest pending ones of `filter`, each for itself. A filter may match any number of events: one request takes at most 1,000 of them, a transaction for every hundred, and tells how many remain and where to go on. A dry run says the same and changes nothing.',
  bodyExamples: [
    { title: 'A few events', value: { ids: [eventExample.id] } },
    {
      title: 'All of a filter, a tenth of the queries to measure with',
      value: { filter: { model: 'fanfold-tiny-embed' }, test_ratio: 0.1, dry_run: true },
    },
  ],
  answers: {
    200: {
      description: 'What became of each event.',
      schema: promotedManySchema,
      example: {
        results: [
          { id: eventExample.id, status: 'promoted', example_ids: [example.id], blockers: [], error: null },
          {
            id: 'rev_01KAXRBF2N4Q6S8V0X2Z4B6D8F',
            status: 'rejected',
            example_ids: [],
            blockers: ['duplicate_of_example'],
            error: { code: 'state_conflict', message: 'This event cannot be promoted: duplicate_of_example.' },
          },
        ],
        dry_run: false,
        promoted: 1,
        already_promoted: 0,
        rejected: 1,
        leaked_queries: 0,
        remaining: 0,
        resume_after: null,
        stopped: null,
      },
    },
  },
  faults,
  idempotent: true,
};
