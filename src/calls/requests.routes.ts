import type { FastifyInstance } from 'fastify';
import { readPage, type TypeBoxProvider } from '#http';
import type { Calls } from './calls.ts';
import { type CursorSource, listRequests } from './list-requests.ts';
import { listContract, readContract } from './requests.contract.ts';
import { requestsQuery, requestToWire } from './requests.schema.ts';

type RequestRoute = { Params: { requestId: string } };

/** What became of calls, for the account that made them. */
export function requestsRoutes(calls: Calls, source: CursorSource) {
  return async (app: FastifyInstance): Promise<void> => {
    app
      .withTypeProvider<TypeBoxProvider>()
      .get(
        '/api/v1/requests',
        { config: { operation: 'requests.list', contract: listContract }, schema: { querystring: requestsQuery } },
        async ({ principal: { accountId }, query }) => {
          const { rows, nextCursor, totalCount, isExact } = await listRequests(
            source,
            accountId,
            query,
            readPage(query),
          );
          return {
            data: rows.map(requestToWire),
            next_cursor: nextCursor,
            total_count: totalCount,
            total_count_is_exact: isExact,
          };
        },
      );

    app.get<RequestRoute>(
      '/api/v1/requests/:requestId',
      { config: { operation: 'requests.read', contract: readContract } },
      async ({ principal: { accountId }, params: { requestId: id } }) =>
        requestToWire(await calls.find({ id, accountId })),
    );
  };
}
