import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { TypeBoxProvider } from '#http';
import { fault } from '#kernel';
import { showAccount } from '../account.routes.ts';
import { maxPasswordLength, minPasswordLength } from '../password-rules.ts';
import {
  arriveContract,
  departContract,
  endSessionContract,
  invitationContract,
  joinContract,
  optionsContract,
  sessionContract,
  sessionsContract,
  signInContract,
  signOutContract,
  signOutEverywhereContract,
  signUpContract,
} from './auth.contract.ts';
import {
  callbackQuery,
  departBody,
  invitationBody,
  joinBody,
  type sessionAnswer,
  signInBody,
  signOutEverywhereBody,
  signUpBody,
} from './auth.schema.ts';
import { authPath, type IdentityServices, pagePath } from './identity.ts';
import { acceptInvitation, readInvitation } from './invitations.ts';
import { csrfTokenOf } from './session-token.ts';
import { deleteSession, deleteSessionByDigest, findSession, listSessions, longestDays } from './sessions.store.ts';
import { endSession, endSessions, refuseForeignPages } from './sessions.ts';
import { type StartedSession, signInWithPassword, signUpWithPassword } from './sign-in.ts';

/** Signing up, in and out. */
export function authRoutes(identity: IdentityServices) {
  return async (app: FastifyInstance): Promise<void> => {
    app.addHook('onRequest', async (_request, reply) => void reply.header('cache-control', 'no-store'));
    addPasswordRoutes(app, identity);
    addInvitationRoutes(app, identity);
    addOidcRoutes(app, identity);
    addSessionRoutes(app, identity);
    addSessionListRoutes(app, identity);
  };
}

/** For routes where nobody has a session yet: there is no token to ask for, so a page of another site is known by its origin. */
const ownPagesOnly =
  ({ publicUrl }: IdentityServices) =>
  async ({ headers }: FastifyRequest): Promise<void> =>
    refuseForeignPages(headers, publicUrl);

const visitOf = ({ ip, id, headers }: FastifyRequest) => ({
  ip,
  userAgent: headers['user-agent'] ?? null,
  requestId: id,
});

function addPasswordRoutes(app: FastifyInstance, identity: IdentityServices): void {
  const typed = app.withTypeProvider<TypeBoxProvider>();
  const onRequest = ownPagesOnly(identity);

  typed.get(
    `${authPath}/options`,
    { config: { operation: 'auth.options', access: 'public', contract: optionsContract } },
    async () => ({
      sign_up: await identity.signIn.signUp(),
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
      const signUp = { email, password, slug, displayName };
      const session = await signUpWithPassword(identity.signIn, signUp, visitOf(request));
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
}

/** The host as the browser knows it: a proxy may ask this server by another name. */
function hostOf({ headers }: FastifyRequest): string {
  const { origin, host = '' } = headers;
  return (origin !== undefined && URL.canParse(origin) ? new URL(origin).host : host).toLowerCase();
}

function addInvitationRoutes(app: FastifyInstance, identity: IdentityServices): void {
  const typed = app.withTypeProvider<TypeBoxProvider>();
  const onRequest = ownPagesOnly(identity);

  typed.post(
    `${authPath}/invitation`,
    {
      config: { operation: 'auth.invitation', access: 'public', contract: invitationContract },
      onRequest,
      schema: { body: invitationBody },
    },
    async (request) => {
      const presented = { token: request.body.token, host: hostOf(request) };
      const { kind, role, email } = await readInvitation(identity.signIn, presented);
      return { kind, role, email };
    },
  );

  typed.post(
    `${authPath}/sign-up/invitation`,
    {
      config: { operation: 'auth.accept_invitation', access: 'public', contract: joinContract },
      onRequest,
      schema: { body: joinBody },
    },
    async (request, reply) => {
      const { token, email, password, slug = null, display_name: displayName = null } = request.body;
      const signUp = { token, host: hostOf(request), email, password, slug, displayName };
      const session = await acceptInvitation(identity.signIn, signUp, visitOf(request));
      await giveCookie(identity, session, { request, reply });
      reply.code(201);
      return showSession(identity, session);
    },
  );
}

/** To the identity provider, and back. */
function addOidcRoutes(app: FastifyInstance, identity: IdentityServices): void {
  const typed = app.withTypeProvider<TypeBoxProvider>();
  const { publicUrl, pendingCookie } = identity;

  typed.post(
    `${authPath}/sign-in/oidc`,
    {
      config: { operation: 'auth.sign_in_oidc', access: 'public', contract: departContract },
      onRequest: ownPagesOnly(identity),
      schema: { body: departBody },
    },
    async ({ body, protocol }, reply) => {
      const { url, pending } = await oidcOf(identity).depart(body.return_to ?? pagePath(publicUrl, '/'));
      reply.header('set-cookie', pendingCookie.set(pending, { maxAgeS: 600, isSecure: protocol === 'https' }));
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
      const { query, headers, protocol } = request;
      const pending = pendingCookie.valueIn(headers);
      const arrival = await oidcOf(identity).arrive({ query, pending, visit: visitOf(request) });
      reply.header('set-cookie', pendingCookie.clear({ isSecure: protocol === 'https' }));
      if ('failure' in arrival) return reply.redirect(`${pagePath(publicUrl, '/sign-in')}?error=${arrival.failure}`);
      await giveCookie(identity, arrival.session, { request, reply });
      return reply.redirect(arrival.returnTo);
    },
  );
}

function oidcOf({ oidc }: IdentityServices) {
  if (!oidc) throw fault('not_found', { message: 'The operator has not configured an identity provider.' });
  return oidc;
}

function addSessionRoutes(app: FastifyInstance, identity: IdentityServices): void {
  const typed = app.withTypeProvider<TypeBoxProvider>();
  const { database, cookie } = identity;
  const clearCookie = (reply: FastifyReply) =>
    reply.header('set-cookie', cookie.clear({ isSecure: reply.request.protocol === 'https' }));

  typed.get(
    `${authPath}/session`,
    { config: { operation: 'auth.session', contract: sessionContract } },
    ({ principal }) => showSession(identity, { id: sessionIdOf(principal), accountId: principal.accountId }),
  );

  typed.post(
    `${authPath}/sign-out`,
    { config: { operation: 'auth.sign_out', contract: signOutContract } },
    async ({ principal }, reply) => {
      await deleteSession(database, sessionIdOf(principal));
      return clearCookie(reply).code(204).send();
    },
  );

  typed.post(
    `${authPath}/sign-out/everywhere`,
    {
      config: { operation: 'auth.sign_out_everywhere', contract: signOutEverywhereContract },
      schema: { body: signOutEverywhereBody },
    },
    async ({ principal, body, id: requestId }, reply) => {
      const keepsCurrent = body.keep_current ?? false;
      const ended = await endSessions(database, { principal, requestId, keepsCurrent });
      if (!keepsCurrent) clearCookie(reply);
      return { ended };
    },
  );
}

function addSessionListRoutes(app: FastifyInstance, { database }: IdentityServices): void {
  const typed = app.withTypeProvider<TypeBoxProvider>();

  typed.get(
    `${authPath}/sessions`,
    { config: { operation: 'auth.sessions', contract: sessionsContract } },
    async ({ principal: { accountId, sessionId } }) => ({
      data: (await listSessions(database, accountId)).map((session) => ({
        id: session.id,
        created_at: session.createdAt.toISOString(),
        expires_at: session.expiresAt.toISOString(),
        last_used_at: session.lastUsedAt.toISOString(),
        user_agent: session.userAgent,
        is_current: session.id === sessionId,
      })),
    }),
  );

  app.delete<{ Params: { sessionId: string } }>(
    `${authPath}/sessions/:sessionId`,
    { config: { operation: 'auth.end_session', contract: endSessionContract } },
    async ({ principal, params: { sessionId }, id: requestId }, reply) => {
      await endSession(database, { principal, requestId, sessionId });
      return reply.code(204).send();
    },
  );
}

/** The contract of these routes refuses API keys, so a caller always has a session. */
function sessionIdOf({ sessionId }: { sessionId: string | null }): string {
  if (sessionId === null) throw new Error('A key got past the check for sessions. This is a bug.');
  return sessionId;
}

const daySeconds = 86_400;

/** Sets the cookie of a new session. A session that the browser had before ends: nobody has its token any more. */
async function giveCookie(
  { database, cookie }: IdentityServices,
  session: StartedSession,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Promise<void> {
  const before = cookie.digestIn(request.headers);
  if (before) await deleteSessionByDigest(database, before);
  // The database says when a session ends; the browser only must not forget it sooner.
  const options = { maxAgeS: longestDays * daySeconds, isSecure: request.protocol === 'https' };
  reply.header('set-cookie', cookie.set(session.token, options));
}

async function showSession(
  { database, secret }: IdentityServices,
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
