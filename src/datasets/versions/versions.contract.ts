import Type from 'typebox';
import { type Contract, pageSchema, said } from '#http';
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

const version = { description: said('The version.', '该版本。'), schema: versionSchema, example };

export const listContract: Contract = {
  tag,
  summary: said('List versions', '列出版本'),
  description: said(
    'The versions of all datasets of the project, newest first, for its owner. A cursor belongs to the project and to the filter.',
    '项目中所有数据集的版本，按创建时间倒序排列，仅限所有者。游标只对同一项目和同一筛选条件有效。',
  ),
  answers: {
    200: {
      description: said('A page of versions.', '一页版本。'),
      schema: pageSchema(versionSchema),
      example: { data: [example], next_cursor: null, total_count: 1 },
    },
  },
  faults: ['invalid_cursor', 'not_found'],
};

export const createContract: Contract = {
  tag,
  summary: said('Freeze a version', '冻结版本'),
  description: said(
    'Freezes what the dataset holds now, apart from examples that are too long to learn from. When nothing has changed since a version was frozen, that one is the answer, and its label stays.',
    '冻结数据集的当前内容，过长而无法用于学习的样本除外。如果自某个版本以来没有任何改动，则返回该版本，其标签不变。',
  ),
  bodyExample: { label: 'before the holidays' },
  answers: {
    200: { ...version, description: said('The version that this state has already.', '当前内容已有的版本。') },
    201: { ...version, description: said('The new version.', '新建的版本。') },
  },
  faults: ['not_found', 'owner_required', 'state_conflict', 'in_use'],
  idempotent: true,
};

export const readContract: Contract = {
  tag,
  summary: said('Read a version', '查看版本'),
  description: said(
    'What was frozen: counts, lengths in tokens, and the digest of the file that it can be downloaded as.',
    '已冻结的内容：数量、词元长度，以及可下载文件的摘要。',
  ),
  answers: { 200: version },
  faults: ['not_found'],
};

const lines = [
  '{"messages":[{"content":"Where is my parcel?","role":"user"},{"content":"May I have its number?","role":"assistant"}],"tools":null,"split":"train"}',
  '{"messages":[{"content":"Thank you!","role":"user"},{"content":"You are welcome.","role":"assistant"}],"tools":null,"split":"test"}',
];

export const downloadContract: Contract = {
  tag,
  summary: said('Download a version', '下载版本'),
  description: said(
    'One example per line, as JSON with sorted keys and the split behind; sorted by the SHA-256 of the content. The SHA-256 of the whole file is the `sha256` of the version, and its entity tag. The file can be imported again.',
    '每行一个样本，为键名排序的 JSON，末尾是划分；各行按内容的 SHA-256 排序。整个文件的 SHA-256 即版本的 `sha256`，也是其实体标签。该文件可以重新导入。',
  ),
  headers: Type.Object({
    'if-none-match': Type.Optional(Type.String(said('The entity tag that the caller has.', '调用者已有的实体标签。'))),
  }),
  answers: {
    200: {
      description: said('The file.', '文件内容。'),
      type: 'application/x-ndjson',
      schema: Type.String(said('JSON lines.', '每行一个 JSON。')),
      headers: {
        etag: said('The `sha256` of the version, in quotes.', '版本的 `sha256`，带引号。'),
        'content-length': said('Size of the file.', '文件大小。'),
        'content-disposition': said('A name for the file.', '建议的文件名。'),
      },
      example: `${lines.join('\n')}\n`,
    },
    304: { description: said('The caller has this file.', '调用者已有此文件。') },
  },
  faults: ['not_found'],
};
