import type { FastifyInstance } from 'fastify';
import type { Calls } from './calls.ts';
import { readContract } from './requests.contract.ts';
import { requestToWire } from './requests.schema.ts';

type RequestRoute = { Params: { requestId: string } };

/** What became of a call, for the account that made it. */
export function requestsRoutes(calls: Calls) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get<RequestRoute>(
      '/api/v1/requests/:requestId',
      { config: { operation: 'requests.read', contract: readContract } },
      async ({ principal: { accountId }, params: { requestId: id } }) =>
        requestToWire(await calls.find({ id, accountId })),
    );
  };
}
