import type { Contract } from '#http';
import { requestSchema } from './requests.schema.ts';

export const readContract: Contract = {
  tag: 'requests',
  summary: 'Read what became of a request',
  description:
    'Tells how a call of a model ended and what it cost, for 30 days, to the account that made it. Ask after a connection that broke or `ambiguous_transport`, before you send the call again. A failure is kept on a best-effort basis: of a flood only the first are.',
  answers: {
    200: {
      description: 'The request.',
      schema: requestSchema,
      example: {
        id: 'req_01KAXR4T5K7D9E1A3C5F7H9J1M',
        route: 'chat.create',
        project: { owner: 'ada', slug: 'support' },
        model: 'support-chat',
        state: 'succeeded',
        http_status: 200,
        error_code: null,
        active_ms: 412,
        credits: '0.000250',
        created_at: '2026-01-02T03:04:05.678Z',
        finished_at: '2026-01-02T03:04:06.204Z',
      },
    },
  },
  faults: ['not_found'],
};
