import { type Contract, pageSchema, said } from '#http';
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
  summary: said('List the shares of a hosted model', '列出托管模型的共享'),
  description: said(
    'Who the model is shared with, newest first, expired shares too. A cursor belongs to the model.',
    '模型共享给了哪些账户，按时间倒序排列，包括已过期的共享。游标只对同一模型有效。',
  ),
  answers: {
    200: {
      description: said('A page of shares.', '一页共享。'),
      schema: pageSchema(shareSchema),
      example: { data: [example], next_cursor: null, total_count: 1 },
    },
  },
  faults: ['not_found', 'state_conflict', 'invalid_cursor'],
};

const share = { description: said('The share.', '该共享。'), schema: shareSchema, example };

export const createShareContract: Contract = {
  tag,
  summary: said('Share a hosted model', '共享托管模型'),
  description: said(
    'Lets another account call the model through the address of this project, from its next request on; it pays for its calls at the frozen rate and sees nothing else of the project but its name. It counts while the visibility of the model is `shared` or `public`. Sent again for the same account, it sets `expires_at` anew.',
    '允许另一个账户从下一次请求起通过本项目的地址调用此模型；费用由该账户按冻结费率支付，除项目名称外看不到项目的其他内容。模型可见性为 `shared` 或 `public` 时生效。对同一账户重复发送会重新设置 `expires_at`。',
  ),
  bodyExample: { account_slug: 'bob', expires_at: '2030-07-01T00:00:00Z' },
  answers: {
    200: { ...share, description: said('It was shared with this account already.', '此前已共享给该账户。') },
    201: { ...share, description: said('The new share.', '新建的共享。') },
  },
  faults: ['not_found', 'owner_required', 'state_conflict'],
  idempotent: true,
};

export const deleteShareContract: Contract = {
  tag,
  summary: said('End a share', '结束共享'),
  description: said(
    'The next request of that account is refused; calls that run finish.',
    '该账户之后的请求会被拒绝，正在进行的调用会完成。',
  ),
  answers: { 204: { description: said('It is gone.', '共享已结束。') } },
  faults: ['not_found', 'owner_required', 'state_conflict'],
};
