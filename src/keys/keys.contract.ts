import { type Contract, pageSchema } from '#http';
import { issuedKeySchema, keySchema } from './keys.schema.ts';

const tag = 'keys';

const example = {
  id: 'key_01KAXR2N8P4C6S0F1G3J5M7R9T',
  name: 'laptop',
  masked_key: 'fnf_8Kq2...x0Zb',
  active: true,
  created_at: '2026-01-02T03:04:05.678Z',
  last_used_at: '2026-01-03T08:15:00.123Z',
  limits: {
    requests_per_minute: 60,
    concurrent_requests: null,
    credits_per_day: '5.000000',
    used: { requests: 12, minute_ends_at: '2026-01-03T08:15:42.678Z', running: 1, credits_today: '0.412350' },
  },
};

const unused = { requests: 0, minute_ends_at: null, running: 0, credits_today: '0.000000' };

export const listContract: Contract = {
  tag,
  summary: 'List the API keys',
  description:
    'The keys of the account, newest first, without their secrets, with their limits and how far they are used.',
  answers: {
    200: {
      description: 'A page of keys.',
      schema: pageSchema(keySchema),
      example: { data: [example], next_cursor: null, total_count: 1 },
    },
  },
};

export const createContract: Contract = {
  tag,
  summary: 'Create an API key',
  description:
    'Makes an active key. This answer is the only one that ever holds it: store it now, for only a digest is kept. A key works with every project that the account may access. It may be made with limits. A key with limits cannot create keys.',
  bodyExample: { name: 'laptop', limits: { requests_per_minute: 60, credits_per_day: '5' } },
  answers: {
    201: {
      description: 'The key, with its secret.',
      headers: {
        'cache-control': 'Always `no-store`: the answer holds a secret.',
      },
      schema: issuedKeySchema,
      example: {
        ...example,
        last_used_at: null,
        limits: { ...example.limits, used: unused },
        key: 'fnf_8Kq2Zr6TnVb3YwLx9Cd5Fg7Hj1Mp4Qs8Uv2Xa6Ze0Rt3Nx0Zb',
      },
    },
  },
  faults: ['state_conflict', 'forbidden'],
  idempotent: true,
};

const row = { description: 'The key.', schema: keySchema };

export const activateContract: Contract = {
  tag,
  summary: 'Activate an API key',
  description:
    'Lets a deactivated key authenticate again. An active key stays as it is. An account has a greatest number of active keys: beyond it the key stays inactive. A key with limits cannot activate another one.',
  faults: ['state_conflict', 'forbidden'],
  answers: { 200: { ...row, example } },
};

export const deactivateContract: Contract = {
  tag,
  summary: 'Deactivate an API key',
  description:
    'Once this is answered the key authenticates no more, on any server. It can be activated again. A key may deactivate itself; a key with limits no other one.',
  faults: ['forbidden'],
  answers: { 200: { ...row, example: { ...example, active: false } } },
};

export const deleteContract: Contract = {
  tag,
  summary: 'Delete an API key',
  description: 'Deletes a key for good, and at once. The second time is 404. A key with limits can delete itself only.',
  faults: ['forbidden'],
  answers: { 204: { description: 'The key is deleted.' } },
};
