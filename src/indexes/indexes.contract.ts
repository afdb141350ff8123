import { type Contract, pageSchema, said } from '#http';
import { indexSchema } from './indexes.schema.ts';

const tag = 'datasets';

const example = {
  id: 'idx_01KAXR9A3B5C7D9E1F3G5H7J9K',
  dataset_id: 'ds_01KAXR6E7G9J1M3P5R7T9W1Y3A',
  version_id: 'dsv_01KAXR7F8H0K2N4Q6S8V0X2Z4B',
  model: 'search',
  base_model: 'fanfold-tiny-embed',
  model_revision: 2,
  dimensions: 128,
  documents: 5210,
  truncated: 3,
  state: 'ready',
  progress: { phase: null, done: 5210, total: 5210, percent: 100 },
  metrics: {
    recall_at_1: 0.71,
    recall_at_10: 0.93,
    recall_at_100: 0.99,
    mrr_at_10: 0.79,
    ndcg_at_10: 0.82,
    queries: 249,
  },
  error: null,
  active_ms: 48211,
  credits: '0.024150',
  rate: { credits_per_gpu_minute: '0.030000', price_version: '2026-11-20' },
  created_at: '2026-01-05T08:15:00.123Z',
  ready_at: '2026-01-05T08:16:02.480Z',
};

const index = { description: said('The index.', '该索引。'), schema: indexSchema, example };

export const listContract: Contract = {
  tag,
  summary: said('List indexes', '列出索引'),
  description: said(
    'The vector indexes of the project, newest first, for its owner. A cursor belongs to the project and to the filter.',
    '项目的向量索引，按创建时间倒序排列，仅限所有者。游标只对同一项目和同一筛选条件有效。',
  ),
  answers: {
    200: {
      description: said('A page of indexes.', '一页索引。'),
      schema: pageSchema(indexSchema),
      example: { data: [example], next_cursor: null, total_count: 1 },
    },
  },
  faults: ['invalid_cursor', 'not_found'],
};

export const createContract: Contract = {
  tag,
  summary: said('Build an index', '创建索引'),
  description: said(
    'Embeds the different texts of the positives and negatives of a version, in the background, then measures how well the model finds the positives of the test split. It is charged once, by active time, at the rate of this moment; what is canceled pays for what ran, what fails costs nothing.',
    '在后台嵌入版本中正例与反例的不同文本，并评估模型找到测试划分正例的效果。按活跃时间以当前费率一次性计费；取消时只为已运行的部分付费，失败不收费。',
  ),
  bodyExample: { version_id: 'dsv_01KAXR7F8H0K2N4Q6S8V0X2Z4B', model: 'search' },
  answers: {
    201: {
      ...index,
      description: said('The index, which waits to be built.', '等待构建的索引。'),
      example: {
        ...example,
        documents: null,
        truncated: 0,
        state: 'queued',
        progress: { phase: null, done: 0, total: null, percent: null },
        metrics: null,
        active_ms: 0,
        credits: '0.000000',
        ready_at: null,
      },
    },
  },
  faults: [
    'not_found',
    'owner_required',
    'kind_mismatch',
    'state_conflict',
    'insufficient_credits',
    'model_not_found',
    'model_warming',
  ],
  idempotent: true,
};

export const readContract: Contract = {
  tag,
  summary: said('Read an index', '查看索引'),
  description: said(
    'The state and progress of an index; once it is `ready`, how well the model finds.',
    '索引的状态和进度；`ready` 之后还有模型的检索质量。',
  ),
  answers: { 200: index },
  faults: ['not_found'],
};

export const deleteContract: Contract = {
  tag,
  summary: said('Delete an index', '删除索引'),
  description: said(
    'Deletes an index and its vectors. A build that is under way is canceled first, and pays for what ran.',
    '正在进行的构建会先被取消，并为已运行的部分付费。',
  ),
  answers: { 204: { description: said('It is gone.', '已删除。') } },
  faults: ['not_found', 'owner_required', 'state_conflict'],
};

export const cancelContract: Contract = {
  tag,
  summary: said('Cancel a build', '取消构建'),
  description: said(
    'Ends a build that waits or is under way, at once; it pays for what ran. One that is canceled stays as it is.',
    '立即结束等待中或进行中的构建，并为已运行的部分付费。已取消的保持不变。',
  ),
  answers: { 200: { ...index, example: { ...example, state: 'canceled', metrics: null, ready_at: null } } },
  faults: ['not_found', 'owner_required', 'state_conflict'],
};
