import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { Database } from '#db';
import { type PublicUrl, pageOf, readPage, type TypeBoxProvider } from '#http';
import { once } from '#idempotency';
import type { CursorCodec } from '#kernel';
import type { ObjectStore } from '#objects';
import { changeOwnProject, projectPrefix, readOwnProject } from '#projects';
import type { DatasetLimits } from '../limits.ts';
import { authorOf, changeOwnImport, pathOf, readOwnImport, wrongState } from './import-access.ts';
import { listIssues, openIssueFile } from './import-errors.ts';
import type { ImportOptions, ImportRecord } from './import-record.ts';
import {
  confirmBody,
  createImportBody,
  errorsQuery,
  importsQuery,
  previewBody,
  profileBody,
} from './import-requests.schema.ts';
import type { ImportTask } from './import-task.ts';
import { importToWire, previewToWire, profileToWire } from './import-wire.ts';
import {
  cancelContract,
  confirmContract,
  createContract,
  errorsContract,
  listContract,
  previewContract,
  profileContract,
  readContract,
  readProfileContract,
} from './imports.contract.ts';
import { cancelImport, createImport, listImports, readAgain } from './imports.ts';
import { confirmImport, previewImport } from './preview.ts';

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

/** The routes of imports, but for the upload, which takes a body of another kind. */
export function importsRoutes(deps: ImportRoutesDeps) {
  return async (app: FastifyInstance): Promise<void> => {
    const typed = app.withTypeProvider<TypeBoxProvider>();
    const { database, cursors, objects, task } = deps;

    typed.post(
      listPath,
      { config: { operation: 'imports.create', contract: createContract }, schema: { body: createImportBody } },
      async (request, reply) => {
        const record = await once(request, database).transaction(async (tx) => {
          const project = await changeOwnProject(tx, request.principal, pathOf(request));
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
        const { id: projectId } = await readOwnProject(database, request.principal, pathOf(request));
        const { state = null, dataset_id: datasetId = null } = request.query;
        const page = await listImports(
          { sql: database, cursors },
          { projectId, state, datasetId },
          readPage(request.query),
        );
        return pageOf({ ...page, toWire: importToWire });
      },
    );

    app.get(importPath, { config: { operation: 'imports.read', contract: readContract } }, async (request) =>
      importToWire(await readOwnImport(database, request)),
    );

    typed.post(
      `${importPath}/profile`,
      { config: { operation: 'imports.profile', contract: profileContract }, schema: { body: profileBody } },
      async (request, reply) => {
        const { sample_rows: sampleRows, ...rest } = request.body;
        const record = await database.transaction(async (tx) => {
          const { record: before } = await changeOwnImport(tx, request);
          return readAgain(tx, before, { asked: { ...rest, sampleRows }, task });
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
        if (!profile) throw wrongState(state, ['ready']);
        return profileToWire(profile);
      },
    );

    typed.post(
      `${importPath}/preview`,
      { config: { operation: 'imports.preview', contract: previewContract }, schema: { body: previewBody } },
      async (request) => {
        const { record } = await database.transaction((tx) => changeOwnImport(tx, request));
        const { mapping = null, options = {}, limit = 20 } = request.body;
        const preview = { mapping, options: optionsOf(options), limit };
        return previewToWire(await previewImport(deps, record, preview));
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
        if (wantsFile(request)) {
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

function requestOf(body: Static<typeof createImportBody>) {
  const {
    dataset_id: datasetId = null,
    dataset_name: datasetName = null,
    file_name: fileName,
    size_bytes: sizeBytes,
  } = body;
  return { datasetId, datasetName, fileName, sizeBytes, format: body.format ?? null, sha256: body.sha256 ?? null };
}

function uploadOf(
  { publicUrl }: ImportRoutesDeps,
  request: FastifyRequest,
  { id, sizeBytes, expiresAt }: ImportRecord,
) {
  const { owner, project } = pathOf(request);
  const path = [owner, project].map(encodeURIComponent).join('/');
  return {
    method: 'PUT',
    url: `${publicUrl(request)}/api/v1/projects/${path}/imports/${id}/content`,
    max_bytes: sizeBytes,
    accepts_ranges: true,
    expires_at: expiresAt?.toISOString() ?? null,
  };
}

function optionsOf(options: NonNullable<Static<typeof previewBody>['options']>): Partial<ImportOptions> {
  const { on_invalid: onInvalid, dedupe, test_ratio: testRatio, split_seed: splitSeed } = options;
  const sent = Object.entries({ onInvalid, dedupe, testRatio, splitSeed }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(sent);
}

function wantsFile({ headers: { accept = '' } }: FastifyRequest): boolean {
  return accept.toLowerCase().includes('application/x-ndjson');
}
