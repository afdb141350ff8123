import type { FastifyInstance } from 'fastify';
import { readContract } from './requests.contract.ts';
import { requestToWire } from './requests.schema.ts';
import type { Requests } from './requests.ts';

type RequestRoute = { Params: { requestId: string } };

/** What became of a call, for the account that made it. */
export function requestsRoutes(requests: Requests) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get<RequestRoute>(
      '/api/v1/requests/:requestId',
      { config: { operation: 'requests.read', contract: readContract } },
      async ({ principal: { accountId }, params: { requestId: id } }) =>
        requestToWire(await requests.find({ id, accountId })),
    );
  };
}
