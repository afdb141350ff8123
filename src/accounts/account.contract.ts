import { type Contract, said } from '#http';
import { accountSchema } from './account.schema.ts';

const tag = 'account';

export const accountExample = {
  id: 'acc_01KAXR0GWE2M5B3H7K9T4Q6V8X',
  slug: 'ada',
  email: 'ada@example.com',
  email_verified: true,
  display_name: 'Ada',
  avatar_url: null,
  locale: 'en',
  role: 'user',
  status: 'active',
  created_at: '2026-01-02T03:04:05.678Z',
  updated_at: '2026-01-02T03:04:05.678Z',
  auth: {
    method: 'session',
    key_id: null,
    identity_provider: 'local',
    has_password: true,
    session_expires_at: '2026-01-16T03:04:05.678Z',
  },
  credits: { available: '12.500000' },
  limits: { max_active_keys: 1000, max_projects: 1000 },
};

export const meContract: Contract = {
  tag,
  summary: said('Show the account', '查看账户'),
  description: said(
    'The account that the key or the session belongs to, with its limits of projects.',
    '密钥或会话所属的账户，含项目数量限制。',
  ),
  answers: {
    200: {
      description: said('The caller’s account.', '调用者的账户。'),
      schema: accountSchema,
      example: accountExample,
    },
  },
};

export const profileContract: Contract = {
  tag,
  summary: said('Change the profile', '修改个人资料'),
  description: said('Changes the fields that are sent; the others stay as they are.', '未给出的字段保持不变。'),
  bodyExample: { display_name: 'Ada Lovelace', locale: 'en' },
  answers: {
    200: {
      description: said('The account.', '账户。'),
      schema: accountSchema,
      example: { ...accountExample, display_name: 'Ada Lovelace' },
    },
  },
};

export const passwordContract: Contract = {
  tag,
  summary: said('Change the password', '修改密码'),
  description: said(
    'Ends all other sessions; keys stay. A weak password is refused with the broken rules in `details.rules`. More than 5 tries in 15 minutes are `rate_limited`. An account of an identity provider has no password here: `state_conflict` with `details.reason` `external_identity`.',
    '结束其他所有会话，密钥不受影响。弱密码会被拒绝，`details.rules` 列出所违反的规则。15 分钟内尝试超过 5 次将返回 `rate_limited`。通过身份提供方登录的账户在此没有密码：返回 `state_conflict`，`details.reason` 为 `external_identity`。',
  ),
  bodyExample: { current_password: 'violet tram over 12 bridges', new_password: 'quiet otters fold 7 paper fans' },
  answers: { 204: { description: said('It is changed.', '已修改。') } },
  faults: ['invalid_password', 'state_conflict', 'rate_limited'],
  credential: 'session',
};
