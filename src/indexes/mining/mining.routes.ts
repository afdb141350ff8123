import type { FastifyInstance } from 'fastify';
import { hasIdempotencyKey, once } from '#calls';
import {
  type Datasets,
  datasetIsArchived,
  findDataset,
  findVersion,
  type Split,
  type VersionPosition,
} from '#datasets';
import type { Database } from '#db';
import { type TypeBoxProvider, watchCaller } from '#http';
import { type CursorCodec, fault } from '#kernel';
import type { TrainedModels } from '#models';
import { type Searchable, searchable, useOwnIndex } from '../index-access.ts';
import { indexPath } from '../indexes.routes.ts';
import type { Digests } from '../indexes.store.ts';
import { openEmbedder } from '../open-embedder.ts';
import { type PaidRunDeps, performPaid } from '../paid-run.ts';
import { type MiningDeps, mine } from './mine.ts';
import { mineContract } from './mining.contract.ts';
import { mineBody, minedToWire } from './mining.schema.ts';
import { prepareNegatives, writeNegatives } from './write-negatives.ts';

export type MiningRoutesDeps = MiningDeps & {
  database: Database;
  cursors: CursorCodec;
  datasets: Pick<Datasets, 'prepare' | 'replaceExamples'>;
  paid: PaidRunDeps;
  digests: () => Digests;
  trainedModels: TrainedModels;
};

export function miningRoutes(deps: MiningRoutesDeps) {
  const { database, cursors, datasets, paid, digests, trainedModels } = deps;
  return async (app: FastifyInstance): Promise<void> => {
    app
      .withTypeProvider<TypeBoxProvider>()
      .post(
        `${indexPath}/mine`,
        { config: { operation: 'dataset_indexes.mine', contract: mineContract }, schema: { body: mineBody } },
        async (request, reply) => {
          const { split = 'train', limit = 25, candidates = 50, dry_run: isDryRun = false } = request.body;
          const { max_negatives: maxNegatives = 5, max_score_ratio: maxScoreRatio = 0.95 } = request.body;
          const index = searchable((await useOwnIndex(database, request, digests())).index, digests());
          const { version, dataset } = await sourceOf(database, index);
          if (!isDryRun && dataset.archivedAt !== null) throw datasetIsArchived();
          const scope = ['mined', index.id, split];
          const after = request.body.after === undefined ? null : positionOf(cursors, scope, request.body.after);
          const { signal } = watchCaller(reply);
          const hasKey = hasIdempotencyKey(request.headers);
          const embedder = await openEmbedder(trainedModels, index);
          const { principal, id: requestId } = request;
          const call = { principal, requestId, operation: 'dataset_indexes.mine', index, signal, reply, hasKey };
          return performPaid(
            paid,
            { ...call, promptTokensAtMost: limit * index.maxInputTokens },
            {
              work: async () => {
                const rule = { maxNegatives, maxScoreRatio };
                const mined = await mine(deps, {
                  index,
                  embedder,
                  version,
                  split,
                  after,
                  limit,
                  candidates,
                  signal,
                  ...rule,
                });
                const negatives = await prepareNegatives(datasets, { dataset, examples: mined.examples, signal });
                return { mined, negatives, spent: mined.spent };
              },
              finish: async ({ mined, negatives }, pay) => {
                const { written, micro } = await once(request, database).transaction(async (tx) => {
                  // Again, as embedding takes a while: the project may have been archived.
                  await useOwnIndex(tx, request, digests());
                  const datasetId = dataset.id;
                  const changed = isDryRun ? null : await writeNegatives(tx, datasets, { datasetId, negatives });
                  return { written: changed, micro: await pay(tx) };
                });
                const nextAfter = mined.next && cursors.encode(scope, textsOf(mined.next));
                return minedToWire(mined, { written, nextAfter, micro });
              },
            },
          );
        },
      );
  };
}

async function sourceOf(database: Database, { projectId, versionId, datasetId }: Searchable) {
  const [version, dataset] = await Promise.all([
    findVersion(database, { projectId, id: versionId }),
    findDataset(database, { projectId, id: datasetId }),
  ]);
  if (!version || !dataset) throw new Error('The version of an index is not there. This is a bug.');
  return { version, dataset };
}

function textsOf({ hash, split, id }: VersionPosition): string[] {
  return [hash.toString('hex'), split, id];
}

function positionOf(cursors: CursorCodec, scope: string[], after: string): VersionPosition {
  const [hash, split, id] = cursors.decode(scope, after);
  if (hash === undefined || split === undefined || id === undefined) throw fault('invalid_cursor', { param: 'after' });
  // as: made by `textsOf`, and the cursor is signed.
  return { hash: Buffer.from(hash, 'hex'), split: split as Split, id };
}
