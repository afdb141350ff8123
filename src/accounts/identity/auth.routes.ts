import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { TypeBoxProvider } from '#http';
import { fault } from '#kernel';
import { showAccount } from '../account.routes.ts';
import { maxPasswordLength, minPasswordLength } from '../password-rules.ts';
import {
  arriveContract,
  departContract,
  optionsContract,
  sessionContract,
  signInContract,
  signOutContract,
  signOutEverywhereContract,
  signUpContract,
} from './auth.contract.ts';
import {
  callbackQuery,
  departBody,
  type sessionAnswer,
  signInBody,
  signOutEverywhereBody,
  signUpBody,
} from './auth.schema.ts';
import { authPath } from './better-auth.ts';
import { endSessions } from './end-sessions.ts';
import type { StartedSession } from './flow.ts';
import type { Identity } from './identity.ts';
import { arriveFromProvider, departToProvider } from './oidc.ts';
import { refuseForeignPages } from './own-origin.ts';
import { csrfTokenOf } from './session-token.ts';
import { deleteSession, deleteSessionByDigest, findSession, longestDays } from './sessions.store.ts';
import { signInWithPassword, signUpWithPassword } from './sign-in.ts';

/** Signing up, in and out. */
export function authRoutes(identity: Identity) {
  return async (app: FastifyInstance): Promise<void> => {
    const { database, cookie } = identity;
    const typed = app.withTypeProvider<TypeBoxProvider>();
    app.addHook('onRequest', async (_request, reply) => void reply.header('cache-control', 'no-store'));
    // Nobody has a session yet here, so there is no token to ask for: a page of another site is known by its origin.
    const ownPagesOnly = async ({ headers }: FastifyRequest) => refuseForeignPages(headers, identity.publicUrl);

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
        onRequest: ownPagesOnly,
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
        onRequest: ownPagesOnly,
        schema: { body: signInBody },
      },
      async (request, reply) => {
        const session = await signInWithPassword(identity.signIn, request.body, visitOf(request));
        await giveCookie(identity, session, { request, reply });
        return showSession(identity, session);
      },
    );

    typed.post(
      `${authPath}/sign-in/oidc`,
      {
        config: { operation: 'auth.sign_in_oidc', access: 'public', contract: departContract },
        onRequest: ownPagesOnly,
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

const daySeconds = 86_400;

type Exchange = { request: FastifyRequest; reply: FastifyReply };

/** Hands the session to the browser. Another one that it had ends: nobody could get at it any more. */
async function giveCookie({ database, cookie }: Identity, session: StartedSession, { request, reply }: Exchange) {
  const before = cookie.digestIn(request.headers);
  if (before) await deleteSessionByDigest(database, before);
  // The database says when a session ends; the browser only must not forget it sooner.
  const maxAgeS = longestDays * daySeconds;
  const isSecure = request.protocol === 'https';
  reply.header('set-cookie', cookie.set(session.token, { maxAgeS, isSecure }));
}

async function showSession(
  { database, secret }: Identity,
  { id, accountId }: { id: string; accountId: string },
): Promise<Static<typeof sessionAnswer>> {
  const times = await findSession(database, id);
  if (!times) throw fault('invalid_credentials');
  return {
    session: { id, created_at: times.createdAt.toISOString(), expires_at: times.expiresAt.toISOString() },
    csrf_token: csrfTokenOf(secret, id),
    account: await showAccount(database, { accountId, method: 'session', keyId: null, sessionId: id }),
  };
}

function visitOf({ ip, id }: FastifyRequest) {
  return { ip, requestId: id };
}

function oidcOf({ oidc }: Identity) {
  if (!oidc) throw fault('not_found', { message: 'The operator has not configured an identity provider.' });
  return oidc;
}

/** The contract of these routes keeps keys out. */
function sessionIdOf({ sessionId }: { sessionId: string | null }): string {
  if (sessionId === null) throw new Error('A key got past the door for sessions. This is a bug.');
  return sessionId;
}
