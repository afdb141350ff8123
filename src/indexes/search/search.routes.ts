import type { FastifyInstance } from 'fastify';
import { hasIdempotencyKey, once } from '#calls';
import type { Database } from '#db';
import { type TypeBoxProvider, watchCaller } from '#http';
import { fault } from '#kernel';
import type { TrainedModels } from '#models';
import { searchable, useOwnIndex } from '../index-access.ts';
import { indexPath } from '../indexes.routes.ts';
import type { Digests } from '../indexes.store.ts';
import { openEmbedder } from '../open-embedder.ts';
import { type PaidRunDeps, performPaid } from '../paid-run.ts';
import { searchContract } from './search.contract.ts';
import { foundToWire, searchBody } from './search.schema.ts';
import { searchIndex } from './search-index.ts';

export type SearchRoutesDeps = Parameters<typeof searchIndex>[0] & {
  database: Database;
  paid: PaidRunDeps;
  digests: () => Digests;
  trainedModels: TrainedModels;
};

export function searchRoutes(deps: SearchRoutesDeps) {
  const { database, paid, digests, trainedModels } = deps;
  return async (app: FastifyInstance): Promise<void> => {
    app
      .withTypeProvider<TypeBoxProvider>()
      .post(
        `${indexPath}/search`,
        { config: { operation: 'dataset_indexes.search', contract: searchContract }, schema: { body: searchBody } },
        async (request, reply) => {
          const { query, top_k: topK = 10 } = request.body;
          if (query.trim() === '')
            throw fault('invalid_request', { message: 'query: expected more than spaces.', param: 'query' });
          const index = searchable((await useOwnIndex(database, request, digests())).index, digests());
          const embedder = await openEmbedder(trainedModels, index);
          const { principal, id: requestId } = request;
          const { signal } = watchCaller(reply);
          const hasKey = hasIdempotencyKey(request.headers);
          const call = { principal, requestId, operation: 'dataset_indexes.search', index, signal, reply, hasKey };
          return performPaid(
            paid,
            { ...call, promptTokensAtMost: index.maxInputTokens },
            {
              work: () => searchIndex(deps, { index, embedder, query, topK, signal }),
              finish: async ({ results, spent }, pay) => {
                const micro = await once(request, database).transaction(pay);
                return foundToWire(results, { modelRevision: index.modelRevision, spent, micro });
              },
            },
          );
        },
      );
  };
}
