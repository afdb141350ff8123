import type { FastifyInstance } from 'fastify';
import type { Database } from '#db';
import { pageOf, readPage, type TypeBoxProvider } from '#http';
import { type CursorCodec, isId } from '#kernel';
import { endOfIds } from '../examples/example-list.store.ts';
import { changesContract } from './changes.contract.ts';
import { changesQuery, changeToWire } from './changes.schema.ts';
import { countChanges, listChanges, type VersionChange } from './version-changes.store.ts';
import { noSuchVersion, versionOf, versionPath } from './versions.routes.ts';
import { type DatasetVersion, findVersion } from './versions.store.ts';

/** Before the first change of any dataset. */
const emptySeq = -1n;

export function changesRoutes({ database, cursors }: { database: Database; cursors: CursorCodec }) {
  return async (app: FastifyInstance): Promise<void> => {
    app.withTypeProvider<TypeBoxProvider>().get(
      `${versionPath}/changes`,
      {
        config: { operation: 'dataset_versions.changes', contract: changesContract },
        schema: { querystring: changesQuery },
      },
      async (request) => {
        const version = await versionOf(database, request);
        const { since, change: kind = null } = request.query;
        const other = await otherOf(database, version, since);
        const stretch = { datasetId: version.datasetId, fromSeq: other?.seq ?? emptySeq, toSeq: version.seq };
        const { limit, cursor } = readPage(request.query);
        const scope = ['version-changes', version.id, other?.id ?? '', kind ?? ''];
        const [before = endOfIds] = cursor === null ? [] : cursors.decode(scope, cursor);
        const [counts, rows] = await Promise.all([
          countChanges(database, stretch),
          listChanges(database, stretch, { kind, before, limit: limit + 1 }),
        ]);
        const totalCount = kind === null ? counts.added + counts.removed + counts.changed : counts[kind];
        const cursorOf = ({ id }: VersionChange) => cursors.encode(scope, [id]);
        const page = pageOf({ rows, limit, totalCount, cursorOf, toWire: changeToWire });
        return { ...page, since: other?.id ?? null, counts };
      },
    );
  };
}

/** The version that another one is compared with; null: that one is the first. Throws `not_found`. */
async function otherOf(
  database: Database,
  { projectId, datasetId, parentVersionId }: DatasetVersion,
  since: string | undefined,
): Promise<DatasetVersion | null> {
  const id = since ?? parentVersionId;
  if (id === null) return null;
  const other = isId('dsv', id) ? await findVersion(database, { projectId, id }) : null;
  if (other?.datasetId !== datasetId) throw noSuchVersion('since');
  return other;
}
