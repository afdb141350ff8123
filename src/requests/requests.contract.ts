import { type Contract, said } from '#http';
import { requestSchema } from './requests.schema.ts';

export const readContract: Contract = {
  tag: 'requests',
  summary: said('Read what became of a request', '查询一次请求的结果'),
  description: said(
    'Tells how a call of a model ended and what it cost, for 30 days, to the account that made it. Ask after a connection that broke or `ambiguous_transport`, before you send the call again. A failure is kept on a best-effort basis: of a flood only the first are.',
    '在 30 天内向发起调用的账户说明一次模型调用的结果及费用。连接中断或收到 `ambiguous_transport` 后，请先查询再决定是否重发。失败记录尽力保存：大量失败时只保留最先发生的部分。',
  ),
  answers: {
    200: {
      description: said('The request.', '该请求。'),
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
