import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { once } from '#calls';
import type { PublicUrl, TypeBoxProvider } from '#http';
import { cancelContract, createContract, readContract } from './checkout.contract.ts';
import { checkoutBody, checkoutToWire, readCredits, readReturnUrl } from './checkout.schema.ts';
import { type CheckoutDeps, cancelCheckout, type Order, openCheckout, readCheckout } from './checkouts.ts';

export type CheckoutRoutesDeps = CheckoutDeps & { publicUrl: PublicUrl };

type CheckoutRoute = { Params: { checkoutId: string } };

/** Buying credits, for the account of the caller. */
export function checkoutRoutes(deps: CheckoutRoutesDeps) {
  return async (app: FastifyInstance): Promise<void> => {
    app
      .withTypeProvider<TypeBoxProvider>()
      .post(
        '/api/v1/credits/checkout',
        { config: { operation: 'checkouts.create', contract: createContract }, schema: { body: checkoutBody } },
        async (request, reply) => {
          const order = orderOf(request, request.body, deps.publicUrl(request));
          const checkout = await openCheckout(deps, once(request, deps.database), order);
          reply.code(201);
          return checkoutToWire(checkout);
        },
      );

    app.get<CheckoutRoute>(
      '/api/v1/credits/checkout/:checkoutId',
      { config: { operation: 'checkouts.read', contract: readContract } },
      async (request) => checkoutToWire(await readCheckout(deps, addressOf(request))),
    );

    app.post<CheckoutRoute>(
      '/api/v1/credits/checkout/:checkoutId/cancel',
      { config: { operation: 'checkouts.cancel', contract: cancelContract } },
      async (request) => checkoutToWire(await cancelCheckout(deps, addressOf(request))),
    );
  };
}

function addressOf({ principal, params }: FastifyRequest<CheckoutRoute>) {
  return { id: params.checkoutId, accountId: principal.accountId };
}

function orderOf({ principal }: FastifyRequest, body: Static<typeof checkoutBody>, publicUrl: string): Order {
  const { pack_id: packId = null, success_url: success, cancel_url: cancel } = body;
  const successUrl = success === undefined ? null : readReturnUrl(success, 'success_url');
  const cancelUrl = cancel === undefined ? null : readReturnUrl(cancel, 'cancel_url');
  return {
    accountId: principal.accountId,
    packId,
    micro: readCredits(body),
    urls: (id) => {
      const page = `${publicUrl}/credits/checkout/${id}`;
      return { successUrl: successUrl ?? page, cancelUrl: cancelUrl ?? page };
    },
  };
}
