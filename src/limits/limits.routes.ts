import type { FastifyInstance, FastifyRequest } from 'fastify';
import { actorOf } from '#activity';
import type { Database } from '#db';
import type { TypeBoxProvider } from '#http';
import type { CallLimits } from './call-limits.ts';
import * as contracts from './limits.contract.ts';
import { accountLimitsToWire, changeLimitsBody, limitsToWire, readLimitsChange } from './limits.schema.ts';
import type { LimitAddress } from './limits.store.ts';
import { changeLimits, readAccountLimits, readLimits, refuseLimitedKey } from './limits.ts';

/** Routes of the limits on calls of models: of each key, and of the whole account. */
export function limitsRoutes({ database }: { database: Database }) {
  return async (app: FastifyInstance): Promise<void> => {
    const typed = app.withTypeProvider<TypeBoxProvider>();

    async function change(request: FastifyRequest, address: LimitAddress, wanted: Partial<CallLimits>) {
      const { principal, id: requestId } = request;
      const { keyId } = principal;
      await refuseLimitedKey(database, principal);
      return changeLimits(database, address, { wanted, keyId, actor: actorOf(principal), requestId });
    }

    app.get(
      '/api/v1/keys/:keyId/limits',
      { config: { operation: 'key_limits.read', contract: contracts.readKeyLimits } },
      async (request) => limitsToWire(await readLimits(database, ofKey(request))),
    );

    typed.patch(
      '/api/v1/keys/:keyId/limits',
      {
        config: { operation: 'key_limits.change', contract: contracts.changeKeyLimits },
        schema: { body: changeLimitsBody },
      },
      async (request) => limitsToWire(await change(request, ofKey(request), readLimitsChange(request.body))),
    );

    app.get(
      '/api/v1/me/limits',
      { config: { operation: 'account_limits.read', contract: contracts.readAccountLimits } },
      async (request) => accountLimitsToWire(await readAccountLimits(database, request.principal.accountId)),
    );

    typed.patch(
      '/api/v1/me/limits',
      {
        config: { operation: 'account_limits.change', contract: contracts.changeAccountLimits },
        schema: { body: changeLimitsBody },
      },
      async (request) => {
        await change(request, ofAccount(request), readLimitsChange(request.body));
        return accountLimitsToWire(await readAccountLimits(database, request.principal.accountId));
      },
    );
  };
}

function ofKey({ principal: { accountId }, params }: FastifyRequest): LimitAddress {
  // as: the path declares it.
  const { keyId: id } = params as { keyId: string };
  return { scope: 'key', id, accountId };
}

function ofAccount({ principal: { accountId } }: FastifyRequest): LimitAddress {
  return { scope: 'account', id: accountId, accountId };
}
