import Type from 'typebox';
import { type Contract, pageSchema } from '#http';
import { versionSchema } from './versions.schema.ts';

const tag = 'datasets';

const example = {
  id: 'dsv_01KAXR7F8H0K2N4Q6S8V0X2Z4B',
  dataset_id: 'ds_01KAXR6E7G9J1M3P5R7T9W1Y3A',
  number: 3,
  label: 'before the holidays',
  sha256: '9f1c6a0d2b7e4c83a5f0e1d2c3b4a5968778695a4b3c2d1e0f1a2b3c4d5e6f70',
  size_bytes: 861204,
  example_count: 1248,
  split_counts: { train: 999, test: 249 },
  token_stats: { min: 31, p50: 140, p95: 322, max: 2210, total: 186990 },
  parent_version_id: 'dsv_01KAXR6Y7G9J1M3P5R7T9W1Y3A',
  source: { kind: 'manual', id: null },
  used_by: { training_jobs: 0, indexes: 0 },
  created_at: '2026-01-05T08:15:00.123Z',
};

const version = { description: 'The version.', schema: versionSchema, example };

export const listContract: Contract = {
  tag,
  summary: 'List versions',
  description:
    'The versions of all datasets of the project, newest first, for its owner. A cursor belongs to the project and to the filter.',
  answers: {
    200: {
      description: 'A page of versions.',
      schema: pageSchema(versionSchema),
      example: { data: [example], next_cursor: null, total_count: 1 },
    },
  },
  faults: ['invalid_cursor', 'not_found'],
};

export const createContract: Contract = {
  tag,
  summary: 'Freeze a version',
  description:
    'Freezes what the dataset holds now, apart from examples that are too long to learn from. When nothing has changed since a version was frozen, that one is the answer, and its label stays.',
  bodyExample: { label: 'before the holidays' },
  answers: {
    200: { ...version, description: 'The version that this state has already.' },
    201: { ...version, description: 'The new version.' },
  },
  faults: ['not_found', 'owner_required', 'state_conflict', 'in_use'],
  idempotent: true,
};

export const readContract: Contract = {
  tag,
  summary: 'Read a version',
  description: 'What was frozen: counts, lengths in tokens, and the digest of the file that it can be downloaded as.',
  answers: { 200: version },
  faults: ['not_found'],
};

const lines = [
  '{"messages":[{"content":"Where is my parcel?","role":"user"},{"content":"May I have its number?","role":"assistant"}],"tools":null,"split":"train"}',
  '{"messages":[{"content":"Thank you!","role":"user"},{"content":"You are welcome.","role":"assistant"}],"tools":null,"split":"test"}',
];

export const downloadContract: Contract = {
  tag,
  summary: 'Download a version',
  description:
    'One example per line, as JSON with sorted keys and the split behind; sorted by the SHA-256 of the content. The SHA-256 of the whole file is the `sha256` of the version, and its entity tag. The file can be imported again.',
  headers: Type.Object({
    'if-none-match': Type.Optional(Type.String({ description: 'The entity tag that the caller has.' })),
  }),
  answers: {
    200: {
      description: 'The file.',
      type: 'application/x-ndjson',
      schema: Type.String({ description: 'JSON lines.' }),
      headers: {
        etag: 'The `sha256` of the version, in quotes.',
        'content-length': 'Size of the file.',
        'content-disposition': 'A name for the file.',
      },
      example: `${lines.join('\n')}\n`,
    },
    304: { description: 'The caller has this file.' },
  },
  faults: ['not_found'],
};
