import type { FastifyInstance } from 'fastify';
import type { Identity } from './identity.ts';
import { oidcRoutes } from './oidc.routes.ts';
import { passwordRoutes } from './password.routes.ts';
import { sessionRoutes } from './session.routes.ts';

/** Signing up, in and out. */
export function authRoutes(identity: Identity) {
  return async (app: FastifyInstance): Promise<void> => {
    app.addHook('onRequest', async (_request, reply) => void reply.header('cache-control', 'no-store'));
    await app.register(passwordRoutes(identity));
    await app.register(oidcRoutes(identity));
    await app.register(sessionRoutes(identity));
  };
}
