import { createHash } from 'node:crypto';
import { newId } from '#kernel';
import { ownerOnlyChange, ownerOnlyRead, type Row, type Scene } from '../matrix.ts';
import { canary } from '../world.ts';

const model = 'fanfold-tiny-embed';
const dimensions = 128;
const digest = (text: string) => createHash('sha256').update(text).digest();

/** A version with one example, in an embedding dataset of the cell's project; written directly, because some of its owners may not ask. */
async function version({ world, place }: Scene) {
  const { database } = world;
  const [datasetId, versionId, exampleId] = [newId('ds'), newId('dsv'), newId('ex')];
  const text = `${canary} is a flower`;
  const content = JSON.stringify({
    negatives: [],
    positives: [{ document_id: null, text }],
    query: `what is ${canary}`,
  });
  await database.query(
    `insert into datasets (id, project_id, name, kind, search_text, head_seq, version_count)
     values ($1, $2, $3, 'embedding', '', 1, 1)`,
    [datasetId, place.projectId, `${canary} searches`],
  );
  await database.query('insert into example_contents (dataset_id, hash, content) values ($1, $2, $3)', [
    datasetId,
    digest(content),
    content,
  ]);
  await database.query(
    `insert into examples (dataset_id, id, added_seq, content_hash, bytes, split, origin, valid)
     values ($1, $2, 1, $3, $4, 'train', 'manual', true)`,
    [datasetId, exampleId, digest(content), content.length],
  );
  await database.query(
    `insert into example_counts (dataset_id, split, origin, valid, examples, tokens, bytes)
     values ($1, 'train', 'manual', true, 1, 0, $2)`,
    [datasetId, content.length],
  );
  await database.query(
    `insert into dataset_versions (id, dataset_id, project_id, number, seq, label, sha256, bytes, train_count, test_count,
       token_stats, source_kind)
     values ($1, $2, $3, 1, 1, $4, repeat('0', 64), $5, 1, 0, $6, 'manual')`,
    [
      ...[versionId, datasetId, place.projectId, canary, content.length + 17],
      JSON.stringify({ min: 0, p50: 0, p95: 0, max: 0, total: 0 }),
    ],
  );
  world.secrets.add(datasetId).add(versionId).add(exampleId);
  return { datasetId, versionId, text };
}

/** An index over it, ready or waiting to be built. */
const index = (state: 'ready' | 'queued') => async (scene: Scene) => {
  const { datasetId, versionId, text } = await version(scene);
  const { world, place } = scene;
  const indexId = newId('idx');
  const isReady = state === 'ready';
  await world.database.query(
    `insert into dataset_indexes (id, project_id, dataset_id, version_id, account_id, model, base_model_id,
       base_model_sha256, max_input_tokens, dimensions, rate_micro_per_minute, query_rate_micro_per_minute, price_version,
       state, documents, embedded, charged_micro, created_by, request_id, ready_at)
     select $1, $2, $3, $4, account_id, $5, $5, $6, 512, $7, 30000, 30000, 'test', $8, $9, coalesce($9, 0), $10, $11, $12, $13
       from projects where id = $2`,
    [
      ...[
        indexId,
        place.projectId,
        datasetId,
        versionId,
        model,
        world.app.models.find(model)?.installed?.sha256,
        dimensions,
      ],
      ...[state, isReady ? 1 : null, isReady ? 0 : null, JSON.stringify({ kind: 'system', id: null, label: canary })],
      ...[newId('req'), isReady ? new Date() : null],
    ],
  );
  if (isReady) {
    await world.database.query(
      'insert into index_documents (index_id, position, text_hash, document_id, text) values ($1, 0, $2, null, $3)',
      [indexId, digest(text), text],
    );
    const vector = new Float32Array(dimensions);
    vector[0] = 1;
    await world.database.query(
      'insert into index_vectors (index_id, first_position, count, vectors) values ($1, 0, 1, $2)',
      [indexId, Buffer.from(vector.buffer)],
    );
  }
  world.secrets.add(indexId);
  return { params: { indexId } };
};

const ready = index('ready');
const queued = index('queued');
const withBody = (body: object) => async (scene: Scene) => ({ ...(await ready(scene)), body });
const kind = 'embedding';

export const rows: Row[] = [
  {
    operation: 'dataset_indexes.list',
    kind,
    expected: ownerOnlyRead(),
    request: async (scene) => {
      await ready(scene);
      return { query: { limit: '100' } };
    },
    attempts: [
      {
        name: "a dataset of somebody else in the filter of one's own project",
        caller: 'owner',
        request: () => ({ query: { dataset_id: newId('ds') } }),
        expected: '200',
      },
    ],
  },
  {
    operation: 'dataset_indexes.create',
    kind,
    expected: ownerOnlyChange('201'),
    request: async (scene) => ({ body: { version_id: (await version(scene)).versionId, model } }),
    attempts: [
      {
        name: 'a version of the owner, in a project of the stranger',
        request: async (scene) => {
          const { private: owners, ofStranger } = scene.world.places.embedding;
          const { versionId } = await version({ ...scene, place: owners });
          return {
            params: { owner: ofStranger.ownerSlug, project: ofStranger.project },
            body: { version_id: versionId, model },
          };
        },
        expected: '404 not_found',
        like: ({ world }) => {
          const { ofStranger } = world.places.embedding;
          return {
            params: { owner: ofStranger.ownerSlug, project: ofStranger.project },
            body: { version_id: newId('dsv'), model },
          };
        },
      },
    ],
  },
  { operation: 'dataset_indexes.read', kind, expected: ownerOnlyRead(), request: ready },
  { operation: 'dataset_indexes.cancel', kind, expected: ownerOnlyChange(), request: queued },
  { operation: 'dataset_indexes.delete', kind, expected: ownerOnlyChange('204'), request: ready },
  {
    operation: 'dataset_indexes.search',
    kind,
    expected: ownerOnlyChange(),
    request: withBody({ query: `what is ${canary}` }),
  },
  {
    operation: 'dataset_indexes.mine',
    kind,
    expected: ownerOnlyChange(),
    request: withBody({ dry_run: true }),
  },
];
