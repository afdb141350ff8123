import { randomBytes } from 'node:crypto';
import { seedSession } from '#test/sessions.ts';
import { everyone, ownAccount, ownObject, type Row } from '../matrix.ts';

const person = () => ({
  email: `${randomBytes(6).toString('hex')}@example.com`,
  password: 'violet tram over 12 bridges',
});

export const rows: Row[] = [
  { operation: 'auth.options', expected: everyone() },
  // Closed unless the operator opens it.
  { operation: 'auth.sign_up', expected: everyone('403 forbidden'), request: () => ({ body: person() }) },
  { operation: 'auth.invitation', expected: everyone('403 forbidden'), request: () => ({ body: { token: 'x' } }) },
  {
    operation: 'auth.accept_invitation',
    expected: everyone('403 forbidden'),
    request: () => ({ body: { token: 'x', ...person() } }),
  },
  { operation: 'auth.sign_in', expected: everyone('401 invalid_credentials'), request: () => ({ body: person() }) },
  // There is no identity provider here.
  { operation: 'auth.sign_in_oidc', expected: everyone('404 not_found'), request: () => ({ body: {} }) },
  { operation: 'auth.callback_oidc', expected: everyone('404 not_found') },
  { operation: 'account.export', expected: ownAccount() },
  // These accounts have no password, and a body that proves nothing deletes nothing.
  { operation: 'account.delete', expected: ownAccount('400 invalid_request'), request: () => ({ body: {} }) },
  { operation: 'auth.session', expected: ownAccount() },
  { operation: 'auth.sessions', expected: ownAccount() },
  {
    operation: 'auth.end_session',
    expected: ownObject('204'),
    request: async ({ world: { database, owner } }) => ({
      params: { sessionId: (await seedSession(database, owner)).sessionId },
    }),
  },
  { operation: 'auth.sign_out', expected: ownAccount('204') },
  {
    operation: 'auth.sign_out_everywhere',
    expected: ownAccount(),
    request: () => ({ body: { keep_current: true } }),
  },
  { operation: 'account.me', expected: ownAccount() },
  { operation: 'account.update_profile', expected: ownAccount(), request: () => ({ body: { locale: 'zh-CN' } }) },
  // These accounts have no password.
  {
    operation: 'account.change_password',
    expected: ownAccount('409 state_conflict'),
    request: () => ({ body: { current_password: 'x', new_password: person().password } }),
  },
];
