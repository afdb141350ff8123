import { type Contract, pageSchema, said } from '#http';
import { datasetSchema, limitsSchema } from './datasets.schema.ts';

const tag = 'datasets';

const example = {
  id: 'ds_01KAXR6E7G9J1M3P5R7T9W1Y3A',
  name: 'Support answers',
  description: 'Questions of customers and what we answered',
  kind: 'text',
  target_model: null,
  example_count: 1250,
  split_counts: { train: 1000, test: 250 },
  invalid_count: 2,
  token_total: 187403,
  head_sha256: null,
  latest_version: { id: 'dsv_01KAXR7F8H0K2N4Q6S8V0X2Z4B', number: 3 },
  pending_retrieval_events: 0,
  archived_at: null,
  created_at: '2026-01-02T03:04:05.678Z',
  updated_at: '2026-01-05T08:15:00.123Z',
};

const empty = {
  ...example,
  example_count: 0,
  split_counts: { train: 0, test: 0 },
  invalid_count: 0,
  token_total: 0,
  latest_version: null,
  updated_at: '2026-01-02T03:04:05.678Z',
};

export const limitsContract: Contract = {
  tag,
  summary: said('Read the limits of datasets', '查看数据集的上限'),
  description: said(
    'What datasets of this project may hold, and what they hold; for its owner.',
    '本项目的数据集可容纳的内容及当前用量，仅限所有者。',
  ),
  answers: {
    200: {
      description: said('The limits.', '各项上限。'),
      schema: limitsSchema,
      example: {
        max_datasets: 1000,
        max_examples_per_dataset: 5000000,
        max_example_tokens: 4096,
        max_import_bytes: 10737418240,
        max_import_rows: 5000000,
        max_versions_per_dataset: 1000,
        max_indexes: 100,
        max_retrieval_batch: 100,
        max_results_per_event: 50,
        min_training_examples: 10,
        used: { datasets: 2, examples: 1310, bytes: 904113 },
      },
    },
  },
  faults: ['not_found'],
};

export const listContract: Contract = {
  tag,
  summary: said('List datasets', '列出数据集'),
  description: said(
    'The datasets of the project, newest first, for its owner. A cursor belongs to the project and to all filters.',
    '项目的数据集，按创建时间倒序排列，仅限所有者。游标只对同一项目和同一组筛选条件有效。',
  ),
  answers: {
    200: {
      description: said('A page of datasets.', '一页数据集。'),
      schema: pageSchema(datasetSchema),
      example: { data: [example], next_cursor: null, total_count: 1 },
    },
  },
  faults: ['invalid_cursor', 'not_found'],
};

export const createContract: Contract = {
  tag,
  summary: said('Create a dataset', '创建数据集'),
  description: said(
    'It is of the kind of its project: conversations to learn from, or queries with what they should find. Names need not be unique.',
    '数据集的类型与项目相同：文本项目存放用于学习的对话，嵌入项目存放查询及其应检索到的内容。名称可以重复。',
  ),
  bodyExample: { name: 'Support answers', description: 'Questions of customers and what we answered' },
  answers: { 201: { description: said('The new dataset.', '新建的数据集。'), schema: datasetSchema, example: empty } },
  faults: ['not_found', 'owner_required', 'state_conflict', 'model_not_found', 'kind_mismatch'],
  idempotent: true,
};

export const readContract: Contract = {
  tag,
  summary: said('Read a dataset', '查看数据集'),
  description: said('A dataset with the counts of what it holds now.', '数据集及其当前内容的数量。'),
  answers: { 200: { description: said('The dataset.', '该数据集。'), schema: datasetSchema, example } },
  faults: ['not_found'],
};

export const updateContract: Contract = {
  tag,
  summary: said('Change a dataset', '修改数据集'),
  description: said(
    'Changes the given fields, archives or unarchives. What already is as asked for stays as it is. An archived dataset can only be unarchived, together with other changes if you like; its versions stay.',
    '修改给出的字段，或归档、取消归档。值未变化的字段保持原样。已归档的数据集只能取消归档（可同时修改其他字段）；其版本始终保留。',
  ),
  bodyExample: { archived: true },
  answers: {
    200: {
      description: said('The dataset as it is now.', '修改后的数据集。'),
      schema: datasetSchema,
      example: { ...example, archived_at: '2026-01-06T09:00:00.000Z' },
    },
  },
  faults: ['not_found', 'owner_required', 'state_conflict', 'in_use'],
};
