import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { once } from '#calls';
import type { Database } from '#db';
import type { TypeBoxProvider } from '#http';
import type { Jobs } from '#jobs';
import { fault } from '#kernel';
import { changeOwnDataset, datasetPathOf } from '../dataset-access.ts';
import { datasetPath } from '../datasets.routes.ts';
import { type BulkChange, changeExamples } from './bulk-change.ts';
import { bulkContract } from './examples.contract.ts';
import { bulkExamplesBody } from './examples.schema.ts';

type BulkChangeRoutesDeps = { database: Database; jobs: Pick<Jobs, 'enqueue'> };

export function bulkChangeRoutes({ database, jobs }: BulkChangeRoutesDeps) {
  return async (app: FastifyInstance): Promise<void> => {
    app
      .withTypeProvider<TypeBoxProvider>()
      .post(
        `${datasetPath}/examples/bulk`,
        { config: { operation: 'examples.bulk', contract: bulkContract }, schema: { body: bulkExamplesBody } },
        async (request) => {
          const change = readBulkChange(request.body);
          const result = await once(request, database).transaction(async (tx) => {
            const { dataset } = await changeOwnDataset(tx, request.principal, datasetPathOf(request));
            return changeExamples(tx, dataset, { ...change, jobs });
          });
          return { changed: result.ids.length, ...result };
        },
      );
  };
}

function readBulkChange({ action, split, ids, filter }: Static<typeof bulkExamplesBody>): BulkChange {
  if ((action === 'move') !== (split !== undefined))
    throw fault('invalid_request', { message: 'split: expected with the action move, and only then.', param: 'split' });
  const change = { split: split ?? null };
  if (ids !== undefined && filter === undefined) return { ...change, of: { ids } };
  if (filter === undefined || ids !== undefined)
    throw fault('invalid_request', { message: 'ids: expected either ids or a filter.', param: 'ids' });
  const { q = '', split: inSplit = null, origin = null, valid = null } = filter;
  return { ...change, of: { filter: { q: q.trim() === '' ? null : q, split: inSplit, origin, valid } } };
}
