import { createHash } from 'node:crypto';
import { newId } from '#kernel';
import { ownerOnlyChange, ownerOnlyRead, type Row, type Scene } from '../matrix.ts';
import { withBody } from '../scene.ts';
import { canary } from '../world.ts';

const example = (words: string) => ({
  text: {
    messages: [
      { role: 'user', content: `${words} ${canary}` },
      { role: 'assistant', content: 'Yes.' },
    ],
  },
});

/** A dataset of the cell's project, for this request alone; written directly, because some of its owners may not ask. */
async function dataset({ world, place }: Scene) {
  const datasetId = newId('ds');
  await world.database.query(
    `insert into datasets (id, project_id, name, kind, search_text, head_seq) values ($1, $2, $3, 'text', '', 1)`,
    [datasetId, place.projectId, `${canary} dataset`],
  );
  world.secrets.add(datasetId);
  return { params: { datasetId } };
}

/** The same with an example in it. */
async function filled(scene: Scene) {
  const { params } = await dataset(scene);
  const { world } = scene;
  const exampleId = newId('ex');
  const content = JSON.stringify({ messages: example('lamp').text.messages, tools: null });
  const hash = createHash('sha256').update(content).digest();
  await world.database.query('insert into example_contents (dataset_id, hash, content) values ($1, $2, $3)', [
    params.datasetId,
    hash,
    content,
  ]);
  await world.database.query(
    `insert into examples (dataset_id, id, added_seq, content_hash, bytes, split, origin, valid)
     values ($1, $2, 1, $3, $4, 'train', 'manual', true)`,
    [params.datasetId, exampleId, hash, content.length],
  );
  await world.database.query(
    'insert into example_words (dataset_id, id, added_seq, words) values ($1, $2, 1, array_to_tsvector($3))',
    [params.datasetId, exampleId, [params.datasetId.slice(-4) + canary]],
  );
  await world.database.query(
    `insert into example_counts (dataset_id, split, origin, valid, examples, tokens, bytes)
     values ($1, 'train', 'manual', true, 1, 0, $2)`,
    [params.datasetId, content.length],
  );
  world.secrets.add(exampleId);
  return { params: { ...params, exampleId } };
}

async function version(scene: Scene) {
  const { params } = await filled(scene);
  const { world, place } = scene;
  const versionId = newId('dsv');
  await world.database.query(
    `insert into dataset_versions (id, dataset_id, project_id, number, seq, label, sha256, bytes, train_count, test_count,
       token_stats, source_kind)
     select $1, $2, $3, 1, 1, $4, repeat('0', 64), octet_length(content) + 16, 1, 0, $5, 'manual'
       from example_contents where dataset_id = $2`,
    [
      versionId,
      params.datasetId,
      place.projectId,
      canary,
      JSON.stringify({ min: 0, p50: 0, p95: 0, max: 0, total: 0 }),
    ],
  );
  world.secrets.add(versionId);
  return { params: { versionId } };
}

export const rows: Row[] = [
  { operation: 'datasets.limits', expected: ownerOnlyRead() },
  {
    operation: 'datasets.list',
    expected: ownerOnlyRead(),
    request: async (scene) => {
      await dataset(scene);
      return { query: { limit: '100' } };
    },
  },
  { operation: 'datasets.create', expected: ownerOnlyChange('201'), request: () => ({ body: { name: 'Made' } }) },
  { operation: 'datasets.read', expected: ownerOnlyRead(), request: dataset },
  { operation: 'datasets.update', expected: ownerOnlyChange(), request: withBody(dataset, { description: 'Changed' }) },
  {
    operation: 'dataset_versions.list',
    expected: ownerOnlyRead(),
    request: async (scene) => {
      await version(scene);
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
  { operation: 'dataset_versions.create', expected: ownerOnlyChange('201'), request: withBody(filled, {}) },
  { operation: 'dataset_versions.read', expected: ownerOnlyRead(), request: version },
  { operation: 'dataset_versions.download', expected: ownerOnlyRead(), request: version },
  {
    operation: 'dataset_versions.changes',
    expected: ownerOnlyRead(),
    request: version,
    attempts: [
      {
        name: 'since a version of another dataset',
        caller: 'owner',
        request: async (scene) => {
          const other = await version(scene);
          return { ...(await version(scene)), query: { since: other.params.versionId } };
        },
        expected: '404 not_found',
      },
    ],
  },
  {
    operation: 'examples.list',
    expected: ownerOnlyRead(),
    request: async (scene) => ({ ...(await filled(scene)), query: { q: 'lamp' } }),
    attempts: [
      {
        name: 'a version of another dataset',
        caller: 'owner',
        request: async (scene) => {
          const { params } = await version(scene);
          return { ...(await dataset(scene)), query: { version_id: params.versionId } };
        },
        expected: '404 not_found',
        like: async (scene) => ({ ...(await dataset(scene)), query: { version_id: newId('dsv') } }),
      },
    ],
  },
  {
    operation: 'examples.create',
    expected: ownerOnlyChange(),
    request: withBody(dataset, { examples: [example('sofa')] }),
  },
  {
    operation: 'examples.bulk',
    expected: ownerOnlyChange(),
    request: withBody(filled, { action: 'move', split: 'test', filter: {} }),
    attempts: [
      {
        name: 'an example of another dataset',
        caller: 'owner',
        request: async (scene) => {
          const other = await filled(scene);
          return { ...(await filled(scene)), body: { action: 'delete', ids: [other.params.exampleId] } };
        },
        expected: '200',
        like: async (scene) => ({ ...(await filled(scene)), body: { action: 'delete', ids: [newId('ex')] } }),
      },
    ],
  },
  { operation: 'examples.read', expected: ownerOnlyRead(), request: filled },
  { operation: 'examples.update', expected: ownerOnlyChange(), request: withBody(filled, { split: 'test' }) },
  { operation: 'examples.delete', expected: ownerOnlyChange('204'), request: filled },
];
