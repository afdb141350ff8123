import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { once } from '#calls';
import type { Database } from '#db';
import { isKnownVersion, pageOf, readPage, type TypeBoxProvider } from '#http';
import { type CursorCodec, checkDisplayName, fault, isId, readListPage } from '#kernel';
import { changeOwnProject, projectPathOf, projectPrefix, readOwnProject } from '#projects';
import { datasetPathOf, seeDatasetToChange } from '../dataset-access.ts';
import { authorOf, datasetPath } from '../datasets.routes.ts';
import type { DatasetLimits } from '../limits.ts';
import { streamLines } from './version-content.ts';
import { createContract, downloadContract, listContract, readContract } from './versions.contract.ts';
import { createVersionBody, versionsQuery, versionToWire } from './versions.schema.ts';
import { countVersions, type DatasetVersion, findVersion, listVersions } from './versions.store.ts';
import { summariseHead, writeVersion } from './versions.ts';

export type VersionsRoutesDeps = { database: Database; cursors: CursorCodec; limits: DatasetLimits };

const versionsPath = `${projectPrefix}/dataset-versions`;
export const versionPath = `${versionsPath}/:versionId`;

export function versionsRoutes({ database, cursors, limits }: VersionsRoutesDeps) {
  const maxVersions = limits.maxVersionsPerDataset;

  return async (app: FastifyInstance): Promise<void> => {
    const typed = app.withTypeProvider<TypeBoxProvider>();

    typed.get(
      versionsPath,
      {
        config: { operation: 'dataset_versions.list', contract: listContract },
        schema: { querystring: versionsQuery },
      },
      async (request) => {
        const { id: projectId } = await readOwnProject(database, request.principal, projectPathOf(request));
        const filter = { projectId, datasetId: request.query.dataset_id ?? null };
        const scope = ['dataset-versions', projectId, filter.datasetId ?? ''];
        const page = await readListPage({ cursors, scope }, readPage(request.query), {
          list: (rows) => listVersions(database, filter, rows),
          count: () => countVersions(database, filter),
        });
        return pageOf({ ...page, toWire: versionToWire });
      },
    );

    typed.post(
      `${datasetPath}/versions`,
      {
        config: { operation: 'dataset_versions.create', contract: createContract },
        schema: { body: createVersionBody },
      },
      async (request, reply) => {
        const label = request.body.label ?? null;
        if (label !== null) checkDisplayName(label, 'label');
        const { project, dataset } = await seeDatasetToChange(database, request.principal, datasetPathOf(request));
        const freezing = { datasetId: dataset.id, label, source: { kind: 'manual', id: null } as const, maxVersions };
        const head = await summariseHead(database, freezing);
        const { version, isNew } = await once(request, database).transaction(async (tx) => {
          // Again, as the digest of much takes a while: the project may have been archived.
          await changeOwnProject(tx, request.principal, projectPathOf(request));
          return writeVersion(tx, { ...freezing, author: authorOf(request, project) }, head);
        });
        reply.code(isNew ? 201 : 200);
        return versionToWire(version);
      },
    );

    app.get(versionPath, { config: { operation: 'dataset_versions.read', contract: readContract } }, async (request) =>
      versionToWire(await versionOf(database, request)),
    );

    app.get(
      `${versionPath}/download`,
      { config: { operation: 'dataset_versions.download', contract: downloadContract } },
      async (request, reply) => {
        const version = await versionOf(database, request);
        reply.header('etag', `"${version.sha256}"`).header('cache-control', 'private, no-cache');
        if (isKnownVersion(request, `"${version.sha256}"`)) return reply.code(304).send();
        return reply
          .type('application/x-ndjson')
          .header('content-length', String(version.bytes))
          .header('content-disposition', `attachment; filename="${version.datasetId}-v${version.number}.jsonl"`)
          .send(Readable.from(streamLines(database, version), { objectMode: false, highWaterMark: 65_536 }));
      },
    );
  };
}

export async function versionOf(database: Database, request: FastifyRequest): Promise<DatasetVersion> {
  const { id: projectId } = await readOwnProject(database, request.principal, projectPathOf(request));
  // as: the path declares it.
  const { versionId } = request.params as { versionId: string };
  const version = isId('dsv', versionId) ? await findVersion(database, { projectId, id: versionId }) : null;
  if (!version) throw noSuchVersion();
  return version;
}

export function noSuchVersion(param?: string) {
  return fault('not_found', { message: 'There is no such version.', ...(param && { param }) });
}
