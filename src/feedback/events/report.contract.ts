import type { Contract } from '#http';
import { eventExample, reportedExample } from './event-example.ts';
import { eventSchema } from './events.schema.ts';
import { reportAnswerSchema } from './report.schema.ts';
import { reportedBatchSchema, reportedEventSchema } from './reported.schema.ts';

const tag = 'retrieval_events';

export const reportContract: Contract = {
  tag,
  summary: 'Report a search',
  description:
    'What a search showed, and what people did with it. With an `external_id` it can be sent again: the same event makes nothing, and while nothing was judged positive, new judgments are added to it. Vectors are refused: only text becomes training data. Nothing is learned from an event before it is promoted.',
  body: reportedEventSchema,
  bodyExample: reportedExample,
  answers: {
    201: { description: 'The event.', schema: eventSchema, example: eventExample },
    200: {
      description: 'The event was there; new judgments were added to it.',
      schema: eventSchema,
      example: eventExample,
    },
  },
  faults: ['invalid_shape', 'not_found', 'owner_required', 'embeddings_not_enabled', 'state_conflict', 'conflict'],
  idempotent: true,
};

export const batchContract: Contract = {
  tag,
  summary: 'Report many searches',
  description:
    'Up to 100 events in 8 MiB, each taken for itself: one that is wrong never sinks the rest. Events without an `external_id` are new each time; send one, or an `Idempotency-Key`, to be able to repeat the request.',
  body: reportedBatchSchema,
  bodyExample: { events: [reportedExample] },
  answers: {
    200: {
      description: 'What became of each event.',
      schema: reportAnswerSchema,
      example: {
        results: [
          { index: 0, status: 'created', id: eventExample.id, judged: false, error: null },
          {
            index: 1,
            status: 'rejected',
            id: null,
            judged: false,
            error: {
              code: 'invalid_request',
              message: 'events[1].results[0].embedding: vectors are not taken: only text becomes training data',
              param: 'events[1].results[0].embedding',
            },
          },
        ],
        created: 1,
        duplicates: 0,
        rejected: 1,
      },
    },
  },
  faults: ['invalid_shape', 'not_found', 'owner_required', 'embeddings_not_enabled', 'state_conflict'],
  idempotent: true,
};
