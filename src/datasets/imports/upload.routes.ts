import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type TypeBoxProvider, watchCaller, whyItEnded } from '#http';
import { changeOwnProject } from '#projects';
import { importPathOf, readOwnImport, wrongState } from './import-access.ts';
import type { ImportRecord } from './import-record.ts';
import { importToWire } from './import-wire.ts';
import { uploadContract } from './imports.contract.ts';
import { type ImportRoutesDeps, importPath } from './imports.routes.ts';
import { reloadImport } from './imports.ts';
import { chunksUntilLost } from './upload/chunks-until-lost.ts';
import { completeUpload } from './upload/complete-upload.ts';
import { readContentRange } from './upload/content-range.ts';
import { receive } from './upload/receive.ts';

export type UploadDeps = ImportRoutesDeps & {
  /** A body from which nothing comes for so long is given up; what has arrived stays stored. */
  uploadSilenceMs: number;
};

/** The route that takes the bytes of a file. In a scope of its own, because it reads bodies of every type as they come. */
export function uploadRoutes(deps: UploadDeps) {
  return async (app: FastifyInstance): Promise<void> => {
    app.removeAllContentTypeParsers();
    // The handler reads the request itself, with its own bounds of size and time.
    app.addContentTypeParser('*', (_request, _body, done) => done(null));

    app
      .withTypeProvider<TypeBoxProvider>()
      .put(
        `${importPath}/content`,
        { config: { operation: 'imports.upload', contract: uploadContract, slowBody: true } },
        async (request, reply) => {
          const record = await importToUpload(deps, request);
          const range = readContentRange(request.headers, record.sizeBytes);
          // The upload is complete already: a repeated request gets its present state.
          if (record.state !== 'awaiting_upload') return importToWire(record);
          const { signal } = watchCaller(reply);
          const chunks = chunksUntilLost(request.raw, { silenceMs: deps.uploadSilenceMs, signal });
          const { receivedBytes, sha256 } = await receive(deps, record, { range, chunks }).finally(chunks.end);
          // A client that disconnected gets no response, and that is no failure of ours.
          if (signal.aborted) throw whyItEnded(signal.reason, signal);
          if (receivedBytes < record.sizeBytes) {
            reply.code(202);
            return { received_bytes: receivedBytes };
          }
          await completeUpload(deps, { ...record, sha256 });
          return importToWire(await reloadImport(deps.database, record));
        },
      );
  };
}

async function importToUpload({ database }: UploadDeps, request: FastifyRequest): Promise<ImportRecord> {
  await changeOwnProject(database, request.principal, importPathOf(request));
  const record = await readOwnImport(database, request);
  const { state, receivedBytes, sizeBytes } = record;
  const isOver = state === 'canceled' || state === 'expired' || state === 'failed';
  if (isOver || (state !== 'awaiting_upload' && receivedBytes < sizeBytes))
    throw wrongState(state, ['awaiting_upload']);
  return record;
}
