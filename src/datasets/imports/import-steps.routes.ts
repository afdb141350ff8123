import type { FastifyInstance } from 'fastify';
import { once } from '#calls';
import { pageOf, prefersType, readPage, type TypeBoxProvider } from '#http';
import { changeOwnImport, readOwnImport, wrongState } from './import-access.ts';
import { listIssues, openIssueFile } from './import-errors.ts';
import { confirmBody, errorsQuery, previewBody, profileBody } from './import-requests.schema.ts';
import { importToWire, previewToWire } from './import-wire.ts';
import {
  cancelContract,
  confirmContract,
  errorsContract,
  previewContract,
  profileContract,
  readProfileContract,
} from './imports.contract.ts';
import { type ImportRoutesDeps, importPath } from './imports.routes.ts';
import { cancelImport, requestAnotherProfile } from './imports.ts';
import { confirmImport, previewImport } from './preview.ts';

export function importStepsRoutes(deps: ImportRoutesDeps) {
  return async (app: FastifyInstance): Promise<void> => {
    const typed = app.withTypeProvider<TypeBoxProvider>();
    const { database, cursors, objects, task } = deps;

    typed.post(
      `${importPath}/profile`,
      { config: { operation: 'imports.profile', contract: profileContract }, schema: { body: profileBody } },
      async (request, reply) => {
        const { sample_rows: sampleRows, ...rest } = request.body;
        const record = await database.transaction(async (tx) => {
          const { record: before } = await changeOwnImport(tx, request);
          return requestAnotherProfile(tx, before, { request: { ...rest, sampleRows }, task });
        });
        reply.code(202);
        return importToWire(record);
      },
    );

    app.get(
      `${importPath}/profile`,
      { config: { operation: 'imports.read_profile', contract: readProfileContract } },
      async (request) => {
        const { profile, state } = await readOwnImport(database, request);
        // While the file is read again, the former profile is not the requested one.
        if (!profile || state === 'uploaded' || state === 'profiling') throw wrongState(state, ['ready']);
        return profile;
      },
    );

    typed.post(
      `${importPath}/preview`,
      { config: { operation: 'imports.preview', contract: previewContract }, schema: { body: previewBody } },
      async (request) => {
        const { record } = await database.transaction((tx) => changeOwnImport(tx, request));
        const { mapping = null, options = {}, limit = 20 } = request.body;
        return previewToWire(await previewImport(deps, record, { mapping, options, limit }));
      },
    );

    typed.post(
      `${importPath}/confirm`,
      { config: { operation: 'imports.confirm', contract: confirmContract }, schema: { body: confirmBody } },
      async (request, reply) => {
        const record = await once(request, database).transaction(async (tx) => {
          const { record: before } = await changeOwnImport(tx, request);
          return confirmImport(tx, before, { token: request.body.preview_token, cursors, task });
        });
        reply.code(202);
        return importToWire(record);
      },
    );

    typed.get(
      `${importPath}/errors`,
      { config: { operation: 'imports.errors', contract: errorsContract }, schema: { querystring: errorsQuery } },
      async (request, reply) => {
        const record = await readOwnImport(database, request);
        const { code = null } = request.query;
        if (prefersType(request, 'application/x-ndjson')) {
          reply.type('application/x-ndjson');
          return reply.send(await openIssueFile(objects, { record, code }));
        }
        const page = await listIssues({ sql: database, cursors }, { record, code }, readPage(request.query));
        return pageOf({ ...page, toWire: ({ issue }) => issue });
      },
    );

    app.post(
      `${importPath}/cancel`,
      { config: { operation: 'imports.cancel', contract: cancelContract } },
      async (request) => {
        const record = await database.transaction(async (tx) => {
          const { record: before, author } = await changeOwnImport(tx, request);
          return cancelImport(tx, before, { author, task });
        });
        return importToWire(record);
      },
    );
  };
}
