import Type from 'typebox';
import { type Contract, pageSchema, said } from '#http';
import { activitySchema } from './activity.schema.ts';

const example = {
  id: 'act_01KAXR4T5M0Q2Z8W6V3N1B7C9D',
  type: 'key.deactivated',
  severity: 'info',
  actor: { kind: 'account', id: 'acc_01KAXR0GWE2M5B3H7K9T4Q6V8X', label: 'ada' },
  project: null,
  subject: { kind: 'key', id: 'key_01KAXR2N8P4C6S0F1G3J5M7R9T', label: 'laptop', href: '/keys' },
  message: 'The API key "laptop" was deactivated.',
  data: { masked_key: 'fnf_8Kq2...x0Zb' },
  request_id: 'req_01KAXR4T5K7D9E1A3C5F7H9J1M',
  archived: false,
  created_at: '2026-01-02T03:04:05.678Z',
};

const row = {
  description: said('The row.', '该记录。'),
  schema: activitySchema,
};

const tag = 'activity';

export const listContract: Contract = {
  tag,
  summary: said('List what happened', '列出动态'),
  description: said(
    'What happened to the account and its projects, newest first; it doubles as the audit log. A cursor belongs to the account and to all filters.',
    '账户及其项目的动态，按时间倒序排列，同时也是审计日志。游标只对同一账户和同一组筛选条件有效。',
  ),
  answers: {
    200: {
      description: said('A page of the feed.', '一页动态。'),
      schema: pageSchema(activitySchema),
      example: { data: [example], next_cursor: null, total_count: 1 },
    },
  },
  faults: ['invalid_cursor'],
};

export const archiveOneContract: Contract = {
  tag,
  summary: said('Archive a row', '归档一条动态'),
  description: said(
    'Takes a row out of the feed; it stays in the audit log. An archived row stays as it is.',
    '将一条记录移出动态，审计日志中仍然保留。已归档的记录保持不变。',
  ),
  answers: { 200: { ...row, example: { ...example, archived: true } } },
  faults: ['not_found'],
};

export const unarchiveOneContract: Contract = {
  tag,
  summary: said('Put a row back', '取消归档一条动态'),
  description: said(
    'Takes a row out of the archive. A row that is not in it stays as it is.',
    '将动态移出归档；未归档的动态保持不变。',
  ),
  answers: { 200: { ...row, example } },
  faults: ['not_found'],
};

export const archiveManyContract: Contract = {
  tag,
  summary: said('Archive many rows', '批量归档动态'),
  description: said(
    'Archives what happened before a time, rows by id, or with both fields the rows that fit both. One of them is needed.',
    '按时间或按 ID 批量归档；两个字段同时给出时，只归档同时符合的记录。至少需要其中一个字段。',
  ),
  bodyExample: { before: '2026-01-01T00:00:00Z' },
  answers: {
    200: {
      description: said('How many rows this request archived.', '本次请求归档的记录数。'),
      schema: Type.Object({
        archived: Type.Integer({
          ...said('Rows that were not archived before.', '此前未归档、由本次请求归档的记录数。'),
          minimum: 0,
        }),
      }),
      example: { archived: 17 },
    },
  },
};
