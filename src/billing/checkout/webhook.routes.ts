import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fault } from '#kernel';
import { type CheckoutDeps, takeEvent } from './checkouts.ts';

const rawBody = Symbol('rawBody');
type Raw = FastifyRequest & { [rawBody]?: Buffer };

/** Where the payment provider tells what happened. Not found where nothing is sold. */
export function webhookRoutes(deps: CheckoutDeps) {
  return async (app: FastifyInstance): Promise<void> => {
    // The signature is over the bytes as they came.
    app.removeContentTypeParser('application/json');
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request: Raw, bytes: Buffer, done) => {
      request[rawBody] = bytes;
      done(null);
    });

    // Without a contract: it is no part of the API for customers.
    app.post(
      '/api/v1/stripe/webhook',
      { config: { operation: 'checkouts.webhook', access: 'public' } },
      async (request: Raw) => {
        if (!deps.provider) throw fault('not_found');
        const { 'stripe-signature': signature } = request.headers;
        const header = typeof signature === 'string' ? signature : undefined;
        const event = await deps.provider.readEvent(request[rawBody] ?? Buffer.alloc(0), header);
        if (event) await takeEvent(deps, event);
        return { received: true };
      },
    );
  };
}
