import type { FastifyInstance } from 'fastify';
import type { Sql } from '#db';
import { pageOf, readPage, type TypeBoxProvider } from '#http';
import { type CursorCodec, fault } from '#kernel';
import { changeOwnProject, type ProjectPath, projectPathOf, projectPrefix, readOwnProject } from '#projects';
import { deleteContract, deleteManyContract, listContract, readContract } from './saved-calls.contract.ts';
import {
  deleteSavedCallsQuery,
  filterOf,
  savedCallDetailToWire,
  savedCallsQuery,
  savedCallToWire,
} from './saved-calls.schema.ts';
import { deleteSavedCall, deleteSavedCalls, listSavedCalls, readSavedCall } from './saved-calls.ts';
import type { Retention } from './saved-calls-sweep.ts';

export type SavedCallsDeps = { sql: Sql; cursors: CursorCodec; retention: Retention };

type OneRoute = { Params: ProjectPath & { requestId: string } };

const path = `${projectPrefix}/saved-calls`;

/** Routes of the calls that a project with auto-save has kept; for its owner only. */
export function savedCallsRoutes(deps: SavedCallsDeps) {
  const { sql, retention } = deps;
  return async (app: FastifyInstance): Promise<void> => {
    const typed = app.withTypeProvider<TypeBoxProvider>();

    typed.get(
      path,
      { config: { operation: 'saved_calls.list', contract: listContract }, schema: { querystring: savedCallsQuery } },
      async (request) => {
        const { principal, query } = request;
        const project = await readOwnProject(sql, principal, projectPathOf(request));
        const page = await listSavedCalls(deps, filterOf(project.id, query, retention), readPage(query));
        return pageOf({ ...page, toWire: (row) => savedCallToWire(row, retention) });
      },
    );

    app.get<OneRoute>(
      `${path}/:requestId`,
      { config: { operation: 'saved_calls.read', contract: readContract } },
      async ({ principal, params }) => {
        const { id: projectId } = await readOwnProject(sql, principal, params);
        const address = { projectId, requestId: params.requestId, keptSince: retention.keptSince() };
        return savedCallDetailToWire(await readSavedCall(sql, address), retention);
      },
    );

    app.delete<OneRoute>(
      `${path}/:requestId`,
      { config: { operation: 'saved_calls.delete', contract: deleteContract } },
      async ({ principal, params }, reply) => {
        const { id: projectId } = await changeOwnProject(sql, principal, params);
        await deleteSavedCall(sql, { projectId, requestId: params.requestId, keptSince: retention.keptSince() });
        return reply.code(204).send();
      },
    );

    typed.delete(
      path,
      {
        config: { operation: 'saved_calls.delete_many', contract: deleteManyContract },
        schema: { querystring: deleteSavedCallsQuery },
      },
      async (request) => {
        const { principal, query } = request;
        const project = await changeOwnProject(sql, principal, projectPathOf(request));
        const { model, finish_reason: finishReason, from, to, q, all = false } = query;
        // A filter with a slip in its name is ignored like every unknown field; it must not delete everything.
        if (!all && [model, finishReason, from, to, q].every((filter) => filter === undefined))
          throw fault('invalid_request', { message: 'all: send a filter, or all=true.', param: 'all' });
        // A space stands in nearly every call: a search that was left blank must not delete everything either.
        if (q?.trim() === '') throw fault('invalid_request', { message: 'q: must not be blank.', param: 'q' });
        return { deleted: await deleteSavedCalls(sql, filterOf(project.id, query, retention)) };
      },
    );
  };
}
