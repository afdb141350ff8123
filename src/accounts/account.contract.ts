import type { Contract } from '#http';
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
  summary: 'Show the account',
  description: 'The account that the key or the session belongs to, with its limits of projects.',
  answers: {
    200: {
      description: 'The caller’s account.',
      schema: accountSchema,
      example: accountExample,
    },
  },
};

export const profileContract: Contract = {
  tag,
  summary: 'Change the profile',
  description: 'Changes the fields that are sent; the others stay as they are.',
  bodyExample: { display_name: 'Ada Lovelace', locale: 'en' },
  answers: {
    200: {
      description: 'The account.',
      schema: accountSchema,
      example: { ...accountExample, display_name: 'Ada Lovelace' },
    },
  },
};

export const deletionContract: Contract = {
  tag,
  summary: 'Delete the account',
  description:
    'From the answer on, no key and no session of the account is accepted, and its e-mail address is free. Projects with everything in them are removed in the background; jobs, imports and builds that run are cancelled and charged until then, and so are calls in flight. Remaining credits are lost. Ledger, request log and activity stay without address and name of the person; the slug stays taken. Needs `password`, or `confirmation` where the account has none. More than 5 tries of the password in 15 minutes are `rate_limited`. The last operator who can sign in cannot go: `state_conflict` with `details.reason` `last_operator`.',
  bodyExample: { password: 'violet tram over 12 bridges' },
  answers: { 204: { description: 'It is deleted.' } },
  faults: ['invalid_password', 'state_conflict', 'rate_limited'],
  credential: 'session',
};

export const passwordContract: Contract = {
  tag,
  summary: 'Change the password',
  description:
    'Ends all other sessions; keys stay. A weak password is refused with the broken rules in `details.rules`. More than 5 tries in 15 minutes are `rate_limited`. An account of an identity provider has no password here: `state_conflict` with `details.reason` `external_identity`.',
  bodyExample: { current_password: 'violet tram over 12 bridges', new_password: 'quiet otters fold 7 paper fans' },
  answers: { 204: { description: 'It is changed.' } },
  faults: ['invalid_password', 'state_conflict', 'rate_limited'],
  credential: 'session',
};
