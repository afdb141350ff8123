import type { IncomingHttpHeaders } from 'node:http';
import { actorOf, recordActivity } from '#activity';
import { createBatcher, type Database, type Sql } from '#db';
import type { Authenticator, Principal } from '#http';
import { fault } from '#kernel';
import { csrfTokenOf, isCsrfToken, type SessionCookie } from './session-token.ts';
import {
  deleteOwnSession,
  deleteSessions,
  findSessionOwners,
  renewSession,
  type SessionOwner,
} from './sessions.store.ts';

const lanes = 2;
const maxItems = 512;
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

export type SessionsDeps = { sql: Sql; secret: Buffer; cookie: SessionCookie; publicUrl: string | null };

/**
 * Authenticates session cookies. As with keys nothing is remembered: every request asks the database after it arrived,
 * so a session that was ended is dead for the very next one, on every replica.
 *
 * A browser sends the cookie whoever made it ask, so a change also needs what only our own pages know: the session's
 * token in `x-fnf-csrf`.
 */
export function createSessionAuthenticator({ sql, secret, cookie, publicUrl }: SessionsDeps): Authenticator {
  const renew = createRenewal(sql);
  const batcher = createBatcher<Buffer, SessionOwner | null>({
    name: 'accounts.authenticate_session',
    lanes,
    maxItems,
    run: async (digests) => {
      const owners = await findSessionOwners(sql, digests);
      return digests.map((digest) => owners.get(digest.toString('hex')) ?? null);
    },
  });
  return async (headers, method = 'unknown') => {
    const digest = cookie.digestIn(headers);
    const owner = digest === null ? null : await batcher.submit(digest);
    if (owner === null) return null;
    if (owner.status === 'suspended') throw fault('account_suspended');
    if (!safeMethods.has(method)) {
      refuseForeignPages(headers, publicUrl);
      if (!isCsrfToken(headers['x-fnf-csrf'], csrfTokenOf(secret, owner.sessionId))) throw csrfMissing();
    }
    if (owner.isDue) renew(owner.sessionId);
    const { accountId, accountSlug, role, sessionId } = owner;
    return { accountId, accountSlug, role, method: 'session', keyId: null, keyName: null, sessionId };
  };
}

/** Puts the end of sessions in use off, beside the request that showed the use and at most once an hour for each. */
function createRenewal(sql: Sql): (sessionId: string) => void {
  const inFlight = new Set<string>();
  return (sessionId) => {
    if (inFlight.has(sessionId)) return;
    inFlight.add(sessionId);
    // A database error leaves it for the next request.
    void renewSession(sql, sessionId)
      .catch(() => {})
      .finally(() => inFlight.delete(sessionId));
  };
}

function csrfMissing() {
  return fault('forbidden', {
    message: 'A change by a session needs the header x-fnf-csrf with the csrf_token of GET /api/v1/auth/session.',
    param: 'x-fnf-csrf',
  });
}

/**
 * Refuses a request that a page of another site made. Browsers say who asks in `Origin` or, older ones aside, in
 * `Sec-Fetch-Site`; a client that is no browser says neither and carries no cookies of somebody else.
 */
export function refuseForeignPages(headers: IncomingHttpHeaders, publicUrl: string | null): void {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  const isForeign =
    origin === undefined ? site === 'cross-site' || site === 'same-site' : !isOwn(origin, { host, publicUrl });
  if (isForeign) throw fault('forbidden', { message: 'Pages of other sites may not do this.', param: 'origin' });
}

function isOwn(origin: string, { host, publicUrl }: { host: string | undefined; publicUrl: string | null }): boolean {
  if (publicUrl !== null && origin === new URL(publicUrl).origin) return true;
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}

/** Ends all sessions of the caller's account, or all but this one; how many that were. Keys stay. */
export function endSessions(
  database: Database,
  { principal, requestId, keepsCurrent }: { principal: Principal; requestId: string; keepsCurrent: boolean },
): Promise<number> {
  const { accountId, accountSlug, sessionId } = principal;
  return database.transaction(async (tx) => {
    const ended = await deleteSessions(tx, accountId, keepsCurrent ? sessionId : null);
    if (ended > 0)
      await recordActivity(tx, {
        accountId,
        type: 'account.sessions_ended',
        actor: actorOf(principal),
        subject: { kind: 'account', id: accountId, label: accountSlug },
        message: keepsCurrent ? 'All other sessions were ended.' : 'All sessions were ended.',
        data: { ended },
        requestId,
      });
    return ended;
  });
}

/** Ends one session of the caller's account. Throws `not_found`. */
export async function endSession(
  database: Database,
  { principal, requestId, sessionId }: { principal: Principal; requestId: string; sessionId: string },
): Promise<void> {
  const { accountId, accountSlug } = principal;
  await database.transaction(async (tx) => {
    if (!(await deleteOwnSession(tx, { accountId, id: sessionId })))
      throw fault('not_found', { message: 'There is no such session. It may have ended already.' });
    await recordActivity(tx, {
      accountId,
      type: 'account.sessions_ended',
      actor: actorOf(principal),
      subject: { kind: 'account', id: accountId, label: accountSlug },
      message: 'A session was ended.',
      data: { ended: 1 },
      requestId,
    });
  });
}
