import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { fault } from '#kernel';
import { showAccount } from '../account.routes.ts';
import type { sessionAnswer } from './auth.schema.ts';
import type { StartedSession } from './flow.ts';
import type { Identity } from './identity.ts';
import { csrfTokenOf } from './session-token.ts';
import { deleteSessionByDigest, findSession, longestDays } from './sessions.store.ts';

const daySeconds = 86_400;

type Exchange = { request: FastifyRequest; reply: FastifyReply };

/** Sets the cookie of a new session. A session that the browser had before ends: nobody has its token any more. */
export async function giveCookie(
  { database, cookie }: Identity,
  session: StartedSession,
  { request, reply }: Exchange,
) {
  const before = cookie.digestIn(request.headers);
  if (before) await deleteSessionByDigest(database, before);
  // The database says when a session ends; the browser only must not forget it sooner.
  const maxAgeS = longestDays * daySeconds;
  const isSecure = request.protocol === 'https';
  reply.header('set-cookie', cookie.set(session.token, { maxAgeS, isSecure }));
}

export async function showSession(
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
