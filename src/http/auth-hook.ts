import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fault } from '#kernel';

/** Who asks, as far as the account is concerned. */
export type Principal = {
  accountId: string;
  accountSlug: string;
  role: 'user' | 'admin';
  method: 'api_key' | 'session';
  /** The key that was presented; null for a session. */
  keyId: string | null;
  keyName: string | null;
  /** Null for a key. */
  sessionId: string | null;
};

/**
 * Finds out who asks, from an API key or a session; null when the credentials are missing or worth nothing.
 * Throws `service_unavailable` when the database cannot tell, so that an outage never looks like a bad key. With a
 * session the method matters: without one the request counts as a change.
 */
export type Authenticator = (headers: IncomingHttpHeaders, method?: string) => Promise<Principal | null>;

/** A key or a session. With both the key counts, also when it is worth nothing. */
export function eitherOf({ key, session }: { key: Authenticator; session: Authenticator }): Authenticator {
  return (headers, method) => (headers.authorization === undefined ? session : key)(headers, method);
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller of a route with access `account`. Reading it on another route is a bug and throws. */
    readonly principal: Principal;
  }
}

const principals = Symbol('principal');
type Identified = FastifyRequest & { [principals]?: Principal };

export function decoratePrincipal(app: FastifyInstance): void {
  app.decorateRequest('principal', {
    getter(this: Identified): Principal {
      const principal = this[principals];
      if (!principal) throw new Error('This route has no principal. This is a bug.');
      return principal;
    },
  });
}

/** An onRequest hook that lets nobody pass without a principal, nor with a key where the contract wants a session, nor another account than an operator's where it wants one. */
export function authenticateWith(authenticator: Authenticator) {
  return async (request: Identified): Promise<void> => {
    const principal = await authenticator(request.headers, request.method);
    if (!principal) throw fault('invalid_credentials');
    if (principal.method === 'api_key' && request.routeOptions.config.contract?.credential === 'session')
      throw fault('session_required');
    if (principal.role !== 'admin' && request.routeOptions.config.contract?.operator)
      throw fault('forbidden', {
        message: 'Only operators of this installation may do this.',
        details: { reason: 'operator_required' },
      });
    request[principals] = principal;
  };
}
