import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { once } from '#calls';
import type { Database } from '#db';
import { type PublicUrl, pageOf, readPage, type TypeBoxProvider } from '#http';
import { type CursorCodec, readListPage } from '#kernel';
import type { ObjectStore } from '#objects';
import { changeOwnProject, projectPrefix, readOwnProject } from '#projects';
import type { DatasetLimits } from '../limits.ts';
import { authorOf, importPathOf, readOwnImport } from './import-access.ts';
import type { ImportRecord } from './import-record.ts';
import { createImportBody, importsQuery } from './import-requests.schema.ts';
import type { ImportTask } from './import-task.ts';
import { importToWire } from './import-wire.ts';
import { createContract, listContract, readContract } from './imports.contract.ts';
import { countImports, listImports } from './imports.store.ts';
import { createImport } from './imports.ts';

export type ImportRoutesDeps = {
  database: Database;
  cursors: CursorCodec;
  publicUrl: PublicUrl;
  objects: ObjectStore;
  task: ImportTask;
  limits: Pick<DatasetLimits, 'maxImportBytes'>;
};

const listPath = `${projectPrefix}/imports`;
export const importPath = `${listPath}/:importId`;

export function importsRoutes(deps: ImportRoutesDeps) {
  return async (app: FastifyInstance): Promise<void> => {
    const typed = app.withTypeProvider<TypeBoxProvider>();
    const { database, cursors } = deps;

    typed.post(
      listPath,
      { config: { operation: 'imports.create', contract: createContract }, schema: { body: createImportBody } },
      async (request, reply) => {
        const record = await once(request, database).transaction(async (tx) => {
          const project = await changeOwnProject(tx, request.principal, importPathOf(request));
          return createImport(tx, requestOf(request.body), { author: authorOf(request, project), ...deps });
        });
        reply.code(201);
        return { import: importToWire(record), upload: uploadOf(deps, request, record) };
      },
    );

    typed.get(
      listPath,
      { config: { operation: 'imports.list', contract: listContract }, schema: { querystring: importsQuery } },
      async (request) => {
        const { id: projectId } = await readOwnProject(database, request.principal, importPathOf(request));
        const { state = null, dataset_id: datasetId = null } = request.query;
        const filter = { projectId, state, datasetId };
        const scope = ['imports', projectId, state ?? '', datasetId ?? ''];
        const page = await readListPage({ cursors, scope }, readPage(request.query), {
          list: (rows) => listImports(database, filter, rows),
          count: () => countImports(database, filter),
        });
        return pageOf({ ...page, toWire: importToWire });
      },
    );

    app.get(importPath, { config: { operation: 'imports.read', contract: readContract } }, async (request) =>
      importToWire(await readOwnImport(database, request)),
    );
  };
}

function requestOf(body: Static<typeof createImportBody>) {
  const {
    dataset_id: datasetId = null,
    dataset_name: datasetName = null,
    file_name: fileName,
    size_bytes: sizeBytes,
  } = body;
  const { format = null, sheet = null, sha256 = null } = body;
  return { datasetId, datasetName, fileName, sizeBytes, format, sheet, sha256 };
}

function uploadOf(
  { publicUrl }: ImportRoutesDeps,
  request: FastifyRequest,
  { id, sizeBytes, expiresAt }: ImportRecord,
) {
  const { owner, project } = importPathOf(request);
  const path = [owner, project].map(encodeURIComponent).join('/');
  return {
    method: 'PUT',
    url: `${publicUrl(request)}/api/v1/projects/${path}/imports/${id}/content`,
    max_bytes: sizeBytes,
    accepts_ranges: true,
    expires_at: expiresAt?.toISOString() ?? null,
  };
}
