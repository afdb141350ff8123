import type { FastifyInstance } from 'fastify';
import type { Database } from '#db';
import { fault } from '#kernel';
import { streamArchive } from './archive.ts';
import { entriesOf } from './entries.ts';
import { exportContract } from './export.contract.ts';
import { endExport, holdExport } from './exports.store.ts';
import { createOwnApi } from './own-api.ts';

const renewMs = 15_000;

export function exportRoutes({ database }: { database: Database }) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get(
      '/api/v1/account/export',
      { config: { operation: 'account.export', contract: exportContract } },
      async (request, reply) => {
        const hold = { accountId: request.principal.accountId, id: request.id };
        if (!(await holdExport(database, hold))) throw running();
        // A file may take longer than the hold lasts.
        const renewing = setInterval(() => void holdExport(database, hold).catch(() => {}), renewMs).unref();
        const archive = streamArchive(entriesOf(createOwnApi(app, request)), {
          onEnd: async () => {
            clearInterval(renewing);
            await endExport(database, hold);
          },
        });
        archive.on('error', (error) => request.log.warn({ err: error }, 'export of an account ended early'));
        return reply
          .type('application/zip')
          .header('cache-control', 'no-store')
          .header('content-disposition', `attachment; filename="${request.principal.accountSlug}-export.zip"`)
          .send(archive);
      },
    );
  };
}

function running() {
  return fault('in_use', {
    message: 'An export of this account runs already. Wait until its download has ended, or cancel it.',
    details: { running: [{ kind: 'account_exports', count: 1 }] },
  });
}
