import { type Contract, pageSchema, said } from '#http';
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
  summary: said('List the API keys', '列出 API 密钥'),
  description: said(
    'The keys of the account, newest first, without their secrets, with their limits and how far they are used.',
    '账户的密钥，按创建时间倒序排列，不含密钥本身，附带各自的限制及已用量。',
  ),
  answers: {
    200: {
      description: said('A page of keys.', '一页密钥。'),
      schema: pageSchema(keySchema),
      example: { data: [example], next_cursor: null, total_count: 1 },
    },
  },
};

export const createContract: Contract = {
  tag,
  summary: said('Create an API key', '创建 API 密钥'),
  description: said(
    'Makes an active key. This answer is the only one that ever holds it: store it now, for only a digest is kept. A key works with every project that the account may access. It may be made with limits. A key with limits cannot create keys.',
    '创建一把有效密钥。密钥只出现在本次响应中，请立即保存：服务端只保留摘要。密钥可用于账户有权访问的所有项目。创建时可同时设置限制。带有限制的密钥不能创建密钥。',
  ),
  bodyExample: { name: 'laptop', limits: { requests_per_minute: 60, credits_per_day: '5' } },
  answers: {
    201: {
      description: said('The key, with its secret.', '密钥记录及密钥本身。'),
      headers: {
        'cache-control': said('Always `no-store`: the answer holds a secret.', '始终为 `no-store`：响应中含有密钥。'),
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

const row = { description: said('The key.', '密钥记录。'), schema: keySchema };

export const activateContract: Contract = {
  tag,
  summary: said('Activate an API key', '启用 API 密钥'),
  description: said(
    'Lets a deactivated key authenticate again. An active key stays as it is. An account has a greatest number of active keys: beyond it the key stays inactive. A key with limits cannot activate another one.',
    '使已停用的密钥重新生效。已启用的密钥保持不变。账户可同时启用的密钥数有上限，超出时密钥保持停用。带有限制的密钥不能启用其他密钥。',
  ),
  faults: ['state_conflict', 'forbidden'],
  answers: { 200: { ...row, example } },
};

export const deactivateContract: Contract = {
  tag,
  summary: said('Deactivate an API key', '停用 API 密钥'),
  description: said(
    'Once this is answered the key authenticates no more, on any server. It can be activated again. A key may deactivate itself; a key with limits no other one.',
    '本次响应返回后，该密钥在任何服务器上都不再有效。之后可重新启用。密钥可以停用自身；带有限制的密钥不能停用其他密钥。',
  ),
  faults: ['forbidden'],
  answers: { 200: { ...row, example: { ...example, active: false } } },
};

export const deleteContract: Contract = {
  tag,
  summary: said('Delete an API key', '删除 API 密钥'),
  description: said(
    'Deletes a key for good, and at once. The second time is 404. A key with limits can delete itself only.',
    '立即永久删除。再次删除返回 404。带有限制的密钥只能删除自身。',
  ),
  faults: ['forbidden'],
  answers: { 204: { description: said('The key is deleted.', '密钥已删除。') } },
};
