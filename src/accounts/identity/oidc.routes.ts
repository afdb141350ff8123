import type { FastifyInstance } from 'fastify';
import type { TypeBoxProvider } from '#http';
import { fault } from '#kernel';
import { arriveContract, departContract } from './auth.contract.ts';
import { callbackQuery, departBody } from './auth.schema.ts';
import { authPath } from './better-auth.ts';
import type { Identity } from './identity.ts';
import { arriveFromProvider, departToProvider } from './oidc.ts';
import { ownPagesOnly } from './own-origin.ts';
import { giveCookie } from './session-answer.ts';

/** To the identity provider, and back. */
export function oidcRoutes(identity: Identity) {
  return async (app: FastifyInstance): Promise<void> => {
    const typed = app.withTypeProvider<TypeBoxProvider>();

    typed.post(
      `${authPath}/sign-in/oidc`,
      {
        config: { operation: 'auth.sign_in_oidc', access: 'public', contract: departContract },
        onRequest: ownPagesOnly(identity),
        schema: { body: departBody },
      },
      async ({ body, id: requestId }, reply) => {
        const oidc = oidcOf(identity);
        const returnTo = body.return_to ?? oidc.homePath;
        const { url, cookies } = await departToProvider(oidc, { returnTo, requestId });
        reply.header('set-cookie', cookies);
        return { url };
      },
    );

    typed.get(
      `${authPath}/callback/oidc`,
      {
        config: { operation: 'auth.callback_oidc', access: 'public', contract: arriveContract },
        schema: { querystring: callbackQuery },
      },
      async (request, reply) => {
        const { query, id: requestId } = request;
        const callback = { query, cookie: request.headers.cookie ?? '', requestId };
        const { location, cookies, session } = await arriveFromProvider(oidcOf(identity), callback);
        reply.header('set-cookie', cookies);
        if (session) await giveCookie(identity, session, { request, reply });
        return reply.code(302).header('location', location).send();
      },
    );
  };
}

function oidcOf({ oidc }: Identity) {
  if (!oidc) throw fault('not_found', { message: 'The operator has not configured an identity provider.' });
  return oidc;
}
