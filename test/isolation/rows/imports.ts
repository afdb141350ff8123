import { newId } from '#kernel';
import { ownerOnlyChange, ownerOnlyRead, type Row, type Scene } from '../matrix.ts';
import { canary } from '../world.ts';

const counts = { rows: 1, valid: 1, invalid: 0, duplicates: 0, over_token_limit: 0 };
const profile = {
  format: 'jsonl',
  encoding: 'utf-8',
  delimiter: null,
  gzip: false,
  sheet: null,
  sheets: [],
  columns: [{ name: 'messages', type: 'array', null_count: 0, samples: [canary] }],
  detected_shape: 'chat',
  suggested_mapping: { messages: 'messages' },
  ...counts,
  issues: [],
  token_stats: { min: 1, p50: 1, p95: 1, max: 1, total: 1 },
  token_histogram: [{ from: 1, to: 1, rows: 1 }],
};
const messages = [
  { role: 'user', content: canary },
  { role: 'assistant', content: 'A colour.' },
];
const sampled = {
  line: 1,
  byteOffset: 0,
  fields: { messages },
  issues: [],
  excerpt: canary,
  tokens: 1,
};
const readerOptions = { format: null, encoding: null, delimiter: null, sheet: null, sampleRows: 100, mapping: null };
const options = { on_invalid: 'reject', dedupe: 'exact', test_ratio: 0.2, split_seed: 0 };

/** An import of the cell's project, for this request alone. */
async function insertImport({ world, place }: Scene, state: 'awaiting_upload' | 'ready') {
  const id = newId('imp');
  const isReady = state === 'ready';
  await world.database.query(
    `insert into imports (id, project_id, dataset_name, state, file_name, size_bytes, received_bytes, sha256, reader_options,
       profile, sample, mapping, options, counts, created_by)
     values ($1, $2, $3, $4, $5, 10, $6, $7, $8, $9, $10, $11, $12, $13, '{"kind":"system","id":null,"label":"test"}')`,
    [
      ...[id, place.projectId, `${canary} dataset`, state, `${canary}.jsonl`, isReady ? 10 : 0],
      ...[isReady ? '0'.repeat(64) : null, JSON.stringify(readerOptions), isReady ? JSON.stringify(profile) : null],
      ...[isReady ? JSON.stringify([sampled]) : null, isReady ? JSON.stringify({ messages: 'messages' }) : null],
      ...[JSON.stringify(options), isReady ? JSON.stringify(counts) : null],
    ],
  );
  world.secrets.add(id);
  return { params: { importId: id } };
}

const waiting = (scene: Scene) => insertImport(scene, 'awaiting_upload');
const ready = (scene: Scene) => insertImport(scene, 'ready');

const file = { file_name: 'a.jsonl', size_bytes: 10 };

/** The stranger in a project of his own. */
const inOwnPlace = ({ world }: Scene) => ({
  params: { owner: world.stranger.slug, project: world.places.text.ofStranger.project },
});

export const rows: Row[] = [
  {
    operation: 'imports.list',
    expected: ownerOnlyRead(),
    request: async (scene) => {
      await waiting(scene);
      return { query: { limit: '100' } };
    },
  },
  {
    operation: 'imports.create',
    expected: ownerOnlyChange('201'),
    request: () => ({ body: { ...file, dataset_name: 'Questions' } }),
    attempts: [
      {
        name: 'a dataset of somebody else',
        request: async (scene) => {
          const { id } = await scene.owner('POST', 'datasets', { name: `${canary} dataset` });
          return { ...inOwnPlace(scene), body: { ...file, dataset_id: String(id) } };
        },
        expected: '404 not_found',
        like: (scene) => ({ ...inOwnPlace(scene), body: { ...file, dataset_id: newId('ds') } }),
      },
    ],
  },
  { operation: 'imports.read', expected: ownerOnlyRead(), request: ready },
  {
    operation: 'imports.upload',
    expected: ownerOnlyChange('202'),
    request: async (scene) => ({ ...(await waiting(scene)), headers: { 'content-range': 'bytes */10' } }),
  },
  {
    operation: 'imports.profile',
    expected: ownerOnlyChange('202'),
    request: async (scene) => ({ ...(await ready(scene)), body: { format: 'json' } }),
  },
  { operation: 'imports.read_profile', expected: ownerOnlyRead(), request: ready },
  {
    operation: 'imports.preview',
    expected: ownerOnlyChange(),
    request: async (scene) => ({ ...(await ready(scene)), body: {} }),
  },
  {
    operation: 'imports.confirm',
    expected: ownerOnlyChange('409 state_conflict'),
    request: async (scene) => ({ ...(await ready(scene)), body: { preview_token: 'none' } }),
  },
  { operation: 'imports.errors', expected: ownerOnlyRead(), request: ready },
  { operation: 'imports.cancel', expected: ownerOnlyChange(), request: ready },
];
