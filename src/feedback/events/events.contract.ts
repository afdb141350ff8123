import { type Contract, pageSchema } from '#http';
import { eventExample, rowExample } from './event-example.ts';
import { eventRowSchema, eventSchema } from './events.schema.ts';

const tag = 'retrieval_events';

export const listContract: Contract = {
  tag,
  summary: 'List retrieval events',
  description:
    'The events of a dataset, newest first, without their results; for the owner only. A cursor belongs to the dataset and all filters.',
  answers: {
    200: {
      description: 'A page of events.',
      schema: pageSchema(eventRowSchema),
      example: { data: [rowExample], next_cursor: null, total_count: 1 },
    },
  },
  faults: ['invalid_cursor', 'not_found', 'embeddings_not_enabled'],
};

export const readContract: Contract = {
  tag,
  summary: 'Read a retrieval event',
  description: 'An event with what was shown, what was judged, and what it would teach.',
  answers: {
    200: {
      description: 'The event with its results.',
      schema: eventSchema,
      example: eventExample,
    },
  },
  faults: ['not_found', 'embeddings_not_enabled'],
};

const moveFaults = ['not_found', 'owner_required', 'embeddings_not_enabled', 'state_conflict'] as const;

export const skipContract: Contract = {
  tag,
  summary: 'Skip a retrieval event',
  description:
    'Puts an event aside: it is not promoted until it is restored. An event that is skipped already stays as it is; a promoted one cannot be skipped.',
  bodyExample: { reason: 'A test of ours' },
  answers: {
    200: {
      description: 'The event.',
      schema: eventSchema,
      example: {
        ...eventExample,
        state: 'skipped',
        promotable: false,
        skipped_reason: 'A test of ours',
        updated_at: '2026-01-05T08:15:00.123Z',
      },
    },
  },
  faults: moveFaults,
};

export const restoreContract: Contract = {
  tag,
  summary: 'Restore a retrieval event',
  description:
    'Takes back that it was skipped. An event that is not skipped stays as it is; a promoted one stays promoted.',
  answers: {
    200: { description: 'The event.', schema: eventSchema, example: eventExample },
  },
  faults: moveFaults,
};
