import Type from 'typebox';
import { type Contract, pageSchema } from '#http';
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
  description: 'The row.',
  schema: activitySchema,
};

const tag = 'activity';

export const listContract: Contract = {
  tag,
  summary: 'List what happened',
  description:
    'What happened to the account and its projects, newest first; it doubles as the audit log. A cursor belongs to the account and to all filters.',
  answers: {
    200: {
      description: 'A page of the feed.',
      schema: pageSchema(activitySchema),
      example: { data: [example], next_cursor: null, total_count: 1 },
    },
  },
  faults: ['invalid_cursor'],
};

export const archiveOneContract: Contract = {
  tag,
  summary: 'Archive a row',
  description: 'Takes a row out of the feed; it stays in the audit log. An archived row stays as it is.',
  answers: { 200: { ...row, example: { ...example, archived: true } } },
  faults: ['not_found'],
};

export const unarchiveOneContract: Contract = {
  tag,
  summary: 'Put a row back',
  description: 'Takes a row out of the archive. A row that is not in it stays as it is.',
  answers: { 200: { ...row, example } },
  faults: ['not_found'],
};

export const archiveManyContract: Contract = {
  tag,
  summary: 'Archive many rows',
  description:
    'Archives what happened before a time, rows by id, or with both fields the rows that fit both. One of them is needed.',
  bodyExample: { before: '2026-01-01T00:00:00Z' },
  answers: {
    200: {
      description: 'How many rows this request archived.',
      schema: Type.Object({
        archived: Type.Integer({
          description: 'Rows that were not archived before.',
          minimum: 0,
        }),
      }),
      example: { archived: 17 },
    },
  },
};
