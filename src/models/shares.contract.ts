import { type Contract, pageSchema } from '#http';
import { shareSchema } from './shares.schema.ts';

const example = {
  id: 'shr_01KAXR6E7G9J1M3P5R7T9W1Y3A',
  account: { id: 'acc_01KAXR1HXF3N6C4J8M0V5R7W9Y', slug: 'bob' },
  created_at: '2026-01-02T03:04:05.678Z',
  expires_at: '2026-07-01T00:00:00.000Z',
  last_used_at: null,
  calls_30d: 0,
};

const tag = 'hosted_models';

export const listSharesContract: Contract = {
  tag,
  summary: 'List the shares of a hosted model',
  description: 'Who the model is shared with, newest first, expired shares too. A cursor belongs to the model.',
  answers: {
    200: {
      description: 'A page of shares.',
      schema: pageSchema(shareSchema),
      example: { data: [example], next_cursor: null, total_count: 1 },
    },
  },
  faults: ['not_found', 'state_conflict', 'invalid_cursor'],
};

const share = { schema: shareSchema, example };

export const createShareContract: Contract = {
  tag,
  summary: 'Share a hosted model',
  description:
    'Lets another account call the model through the address of this project, from its next request on; it pays for its calls at the frozen rate and sees nothing else of the project but its name. It counts while the visibility of the model is `shared` or `public`. Sent again for the same account, it sets `expires_at` anew.',
  bodyExample: { account_slug: 'bob', expires_at: '2030-07-01T00:00:00Z' },
  answers: {
    200: { ...share, description: 'It was shared with this account already.' },
    201: { ...share, description: 'The new share.' },
  },
  faults: ['not_found', 'owner_required', 'state_conflict'],
  idempotent: true,
};

export const deleteShareContract: Contract = {
  tag,
  summary: 'End a share',
  description: 'The next request of that account is refused; calls that run finish.',
  answers: { 204: { description: 'The share has ended.' } },
  faults: ['not_found', 'owner_required', 'state_conflict'],
};
