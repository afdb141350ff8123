import type { FastifyInstance } from 'fastify';
import type { Database } from '#db';
import type { Principal, TypeBoxProvider } from '#http';
import { fault } from '#kernel';
import { deletionContract, meContract, passwordContract, profileContract } from './account.contract.ts';
import { type AccountWire, accountToWire, deletionBody, passwordBody, profileBody } from './account.schema.ts';
import { findOwnAccount } from './accounts.store.ts';
import { changePassword } from './change-password.ts';
import { type AccountParts, deleteOwnAccount } from './deletion/delete-account.ts';
import type { Passwords } from './identity/passwords.ts';
import type { SessionCookie } from './identity/session-token.ts';
import { changeProfile } from './profile.ts';

export type AccountDeps = { database: Database; passwords: Passwords; cookie: SessionCookie; parts: AccountParts };

export function accountRoutes({ database, passwords, cookie, parts }: AccountDeps) {
  return async (app: FastifyInstance): Promise<void> => {
    const typed = app.withTypeProvider<TypeBoxProvider>();

    typed.get('/api/v1/me', { config: { operation: 'account.me', contract: meContract } }, ({ principal }) =>
      showAccount(database, principal),
    );

    typed.patch(
      '/api/v1/me/profile',
      { config: { operation: 'account.update_profile', contract: profileContract }, schema: { body: profileBody } },
      async ({ principal, body, id: requestId }) => {
        const { display_name: displayName, avatar_url: avatarUrl, locale } = body;
        await changeProfile(database, { displayName, avatarUrl, locale }, { principal, requestId });
        return showAccount(database, principal);
      },
    );

    typed.post(
      '/api/v1/me/password',
      { config: { operation: 'account.change_password', contract: passwordContract }, schema: { body: passwordBody } },
      async ({ principal, body, id: requestId }, reply) => {
        const change = { currentPassword: body.current_password, newPassword: body.new_password };
        await changePassword({ database, passwords }, change, { principal, requestId });
        return reply.code(204).send();
      },
    );

    typed.post(
      '/api/v1/account/delete',
      { config: { operation: 'account.delete', contract: deletionContract }, schema: { body: deletionBody } },
      async ({ principal, body: { password, confirmation }, protocol }, reply) => {
        await deleteOwnAccount({ database, passwords, parts }, principal, { password, confirmation });
        reply.header('set-cookie', cookie.clear({ isSecure: protocol === 'https' }));
        return reply.code(204).send();
      },
    );
  };
}

export async function showAccount(
  database: Database,
  principal: Pick<Principal, 'accountId' | 'sessionId' | 'method' | 'keyId'>,
): Promise<AccountWire> {
  const account = await findOwnAccount(database, principal.accountId, principal.sessionId);
  if (!account) throw fault('not_found', { message: 'There is no such account.' });
  return accountToWire(account, principal);
}
