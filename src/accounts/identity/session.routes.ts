import type { FastifyInstance } from 'fastify';
import type { TypeBoxProvider } from '#http';
import { sessionContract, signOutContract, signOutEverywhereContract } from './auth.contract.ts';
import { signOutEverywhereBody } from './auth.schema.ts';
import { authPath } from './better-auth.ts';
import { endSessions } from './end-sessions.ts';
import type { Identity } from './identity.ts';
import { showSession } from './session-answer.ts';
import { deleteSession } from './sessions.store.ts';

/** The session of a request, and its end. */
export function sessionRoutes(identity: Identity) {
  const { database, cookie } = identity;

  return async (app: FastifyInstance): Promise<void> => {
    const typed = app.withTypeProvider<TypeBoxProvider>();

    typed.get(
      `${authPath}/session`,
      { config: { operation: 'auth.session', contract: sessionContract } },
      ({ principal }) => showSession(identity, { id: sessionIdOf(principal), accountId: principal.accountId }),
    );

    typed.post(
      `${authPath}/sign-out`,
      { config: { operation: 'auth.sign_out', contract: signOutContract } },
      async ({ principal, protocol }, reply) => {
        await deleteSession(database, sessionIdOf(principal));
        return reply
          .code(204)
          .header('set-cookie', cookie.clear({ isSecure: protocol === 'https' }))
          .send();
      },
    );

    typed.post(
      `${authPath}/sign-out/everywhere`,
      {
        config: { operation: 'auth.sign_out_everywhere', contract: signOutEverywhereContract },
        schema: { body: signOutEverywhereBody },
      },
      async ({ principal, protocol, body, id: requestId }, reply) => {
        const keepsCurrent = body.keep_current ?? false;
        const ended = await endSessions(database, { principal, requestId, keepsCurrent });
        if (!keepsCurrent) reply.header('set-cookie', cookie.clear({ isSecure: protocol === 'https' }));
        return { ended };
      },
    );
  };
}

/** The contract of these routes refuses API keys, so a caller always has a session. */
function sessionIdOf({ sessionId }: { sessionId: string | null }): string {
  if (sessionId === null) throw new Error('A key got past the check for sessions. This is a bug.');
  return sessionId;
}
