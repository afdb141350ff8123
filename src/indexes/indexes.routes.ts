import type { FastifyInstance } from 'fastify';
import { actorOf } from '#activity';
import { once } from '#calls';
import { findDataset } from '#datasets';
import type { Database, Sql } from '#db';
import { pageOf, readPage, type TypeBoxProvider } from '#http';
import { type CursorCodec, fault, readListPage } from '#kernel';
import { changeOwnProject, projectPrefix, readOwnProject } from '#projects';
import { type CreateIndexDeps, createIndex } from './create-index.ts';
import type { IndexState } from './dataset-index.ts';
import { cancelBuild } from './ending.ts';
import { changeOwnIndex, indexPathOf, noSuchIndex, readOwnIndex } from './index-access.ts';
import { cancelContract, createContract, deleteContract, listContract, readContract } from './indexes.contract.ts';
import { createIndexBody, indexesQuery, indexToWire } from './indexes.schema.ts';
import { countIndexes, type Digests, deleteIndex, findIndex, listIndexes } from './indexes.store.ts';

export type IndexesRoutesDeps = CreateIndexDeps & {
  database: Database;
  cursors: CursorCodec;
  digests: () => Digests;
  /** Takes what belongs to an index away, in the background. */
  cleanUp: (tx: Sql, indexId: string) => Promise<void>;
};

const listPath = `${projectPrefix}/dataset-indexes`;
export const indexPath = `${listPath}/:indexId`;

const mayBeCanceled: readonly IndexState[] = ['queued', 'building'];

export function indexesRoutes(deps: IndexesRoutesDeps) {
  const { database, cursors, digests, cleanUp } = deps;

  /** Ends what is in flight of a locked index, if anything is. */
  async function cancel(tx: Sql, request: Parameters<typeof changeOwnIndex>[1]) {
    const { index, project } = await changeOwnIndex(tx, request, digests());
    const dataset = await findDataset(tx, { projectId: project.id, id: index.datasetId });
    const canceling = { index, datasetName: dataset?.name ?? '', project, actor: actorOf(request.principal) };
    const isCanceled = await cancelBuild(tx, { ...canceling, requestId: request.id });
    return { index, isCanceled };
  }

  return async (app: FastifyInstance): Promise<void> => {
    const typed = app.withTypeProvider<TypeBoxProvider>();

    typed.get(
      listPath,
      { config: { operation: 'dataset_indexes.list', contract: listContract }, schema: { querystring: indexesQuery } },
      async (request) => {
        const { id: projectId } = await readOwnProject(database, request.principal, indexPathOf(request));
        const { dataset_id: datasetId = null, state = null } = request.query;
        const filter = { projectId, datasetId, state, digests: digests() };
        const scope = ['dataset-indexes', projectId, datasetId ?? '', state ?? ''];
        const page = await readListPage({ cursors, scope }, readPage(request.query), {
          list: (rows) => listIndexes(database, filter, rows),
          count: () => countIndexes(database, filter),
        });
        return pageOf({ ...page, toWire: indexToWire });
      },
    );

    typed.post(
      listPath,
      { config: { operation: 'dataset_indexes.create', contract: createContract }, schema: { body: createIndexBody } },
      async (request, reply) => {
        const { version_id: versionId, model } = request.body;
        const index = await once(request, database).transaction(async (tx) => {
          const project = await changeOwnProject(tx, request.principal, indexPathOf(request));
          const { principal, id: requestId } = request;
          const id = await createIndex(tx, deps, { versionId, model, project, principal, requestId });
          return findIndex(tx, { projectId: project.id, id }, digests());
        });
        if (!index) throw new Error('An index that was written is not there. This is a bug.');
        reply.code(201);
        return indexToWire(index);
      },
    );

    app.get(indexPath, { config: { operation: 'dataset_indexes.read', contract: readContract } }, async (request) =>
      indexToWire(await readOwnIndex(database, request, digests())),
    );

    app.post(
      `${indexPath}/cancel`,
      { config: { operation: 'dataset_indexes.cancel', contract: cancelContract } },
      async (request) => {
        const index = await database.transaction(async (tx) => {
          const { index: before, isCanceled } = await cancel(tx, request);
          if (isCanceled) await cleanUp(tx, before.id);
          else if (before.state !== 'canceled') throw wrongState(before.state);
          return findIndex(tx, before, digests());
        });
        if (!index) throw noSuchIndex();
        return indexToWire(index);
      },
    );

    app.delete(
      indexPath,
      { config: { operation: 'dataset_indexes.delete', contract: deleteContract } },
      async (request, reply) => {
        await database.transaction(async (tx) => {
          const { index } = await cancel(tx, request);
          await deleteIndex(tx, index.id);
          await cleanUp(tx, index.id);
        });
        return reply.code(204).send();
      },
    );
  };
}

function wrongState(state: IndexState) {
  return fault('state_conflict', {
    message: `The index is ${state}.`,
    details: { state, allowed_from: mayBeCanceled },
  });
}
