import type { Contract } from '#http';
import { requestPageSchema, requestSchema } from './requests.schema.ts';

const request = {
  id: 'req_01KAXR4T5K7D9E1A3C5F7H9J1M',
  route: 'chat.create',
  project: { owner: 'ada', slug: 'support' },
  model: 'support-chat',
  state: 'succeeded',
  http_status: 200,
  error_code: null,
  error_message: null,
  key: { id: 'key_01KAXR2N8P4C6S0F1G3J5M7R9T', name: 'laptop' },
  prompt_tokens: 57,
  completion_tokens: 128,
  first_token_ms: 96,
  total_ms: 526,
  active_ms: 412,
  credits: '0.000250',
  created_at: '2026-01-02T03:04:05.678Z',
  finished_at: '2026-01-02T03:04:06.204Z',
};

export const readContract: Contract = {
  tag: 'requests',
  summary: 'Read what became of a request',
  description:
    'Tells how a call of a model ended and what it cost, for 30 days, to the account that made it. Ask after a connection that broke or `ambiguous_transport`, before you send the call again. A failure is kept on a best-effort basis: of a flood only the first are, 600 of an account in a minute.',
  answers: {
    200: {
      description: 'The request.',
      schema: requestSchema,
      example: request,
    },
  },
  faults: ['not_found'],
};

export const listContract: Contract = {
  tag: 'requests',
  summary: 'List calls of models',
  description:
    'The calls that the account has made and that have ended, those that failed included, the latest arrival first, for 30 days. A call is listed within about a second of its end. A page looks at 10,000 calls at most, so with filters it may have fewer rows than `limit`, or none, and a `next_cursor`. A cursor belongs to the account and to all filters but times. Rows are written in the background, on a best-effort basis; the ledger has every charge.',
  answers: {
    200: {
      description: 'A page of calls.',
      schema: requestPageSchema,
      example: { data: [request], next_cursor: null, total_count: 1, total_count_is_exact: true },
    },
  },
};
