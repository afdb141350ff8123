import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TypeBoxProvider } from '#http';
import { maxPasswordLength, minPasswordLength } from '../password-rules.ts';
import { optionsContract, signInContract, signUpContract } from './auth.contract.ts';
import { signInBody, signUpBody } from './auth.schema.ts';
import { authPath } from './better-auth.ts';
import type { Identity } from './identity.ts';
import { ownPagesOnly } from './own-origin.ts';
import { giveCookie, showSession } from './session-answer.ts';
import { signInWithPassword, signUpWithPassword } from './sign-in.ts';

/** What a visitor can do, and signing up and in with a password. */
export function passwordRoutes(identity: Identity) {
  return async (app: FastifyInstance): Promise<void> => {
    const typed = app.withTypeProvider<TypeBoxProvider>();
    const onRequest = ownPagesOnly(identity);

    typed.get(
      `${authPath}/options`,
      { config: { operation: 'auth.options', access: 'public', contract: optionsContract } },
      async () => ({
        sign_up: identity.signIn.signUp,
        oidc: identity.oidc && { name: identity.oidc.name },
        password: { min_length: minPasswordLength, max_length: maxPasswordLength },
      }),
    );

    typed.post(
      `${authPath}/sign-up/email`,
      {
        config: { operation: 'auth.sign_up', access: 'public', contract: signUpContract },
        onRequest,
        schema: { body: signUpBody },
      },
      async (request, reply) => {
        const { email, password, slug = null, display_name: displayName = null } = request.body;
        const session = await signUpWithPassword(
          identity.signIn,
          { email, password, slug, displayName },
          visitOf(request),
        );
        await giveCookie(identity, session, { request, reply });
        reply.code(201);
        return showSession(identity, session);
      },
    );

    typed.post(
      `${authPath}/sign-in/email`,
      {
        config: { operation: 'auth.sign_in', access: 'public', contract: signInContract },
        onRequest,
        schema: { body: signInBody },
      },
      async (request, reply) => {
        const session = await signInWithPassword(identity.signIn, request.body, visitOf(request));
        await giveCookie(identity, session, { request, reply });
        return showSession(identity, session);
      },
    );
  };
}

function visitOf({ ip, id }: FastifyRequest) {
  return { ip, requestId: id };
}
