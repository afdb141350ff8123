import { type Contract, pageSchema, said } from '#http';
import { addedSchema, createExamplesDocumented, exampleSchema, updateExampleDocumented } from './examples.schema.ts';

const tag = 'datasets';

const text = {
  messages: [
    { content: 'Where is my parcel?', role: 'user' },
    { content: 'May I have its number?', role: 'assistant' },
  ],
  tools: null,
};

const embedding = {
  query: 'how do I get my money back',
  positives: [{ text: 'Refunds are paid within five days.', document_id: 'faq-12' }],
  negatives: [{ text: 'Parcels leave our house every evening.', document_id: null }],
};

const example = {
  id: 'ex_01KAXR8G9J1M3P5R7T9W1Y3A5C',
  dataset_id: 'ds_01KAXR6E7G9J1M3P5R7T9W1Y3A',
  kind: 'text',
  text,
  embedding: null,
  split: 'train',
  origin: 'manual',
  origin_id: null,
  tokens: 27,
  valid: true,
  issues: [],
  content_hash: '4b825dc642cb6eb9a060e54bf8d69288fbee49041f1c6a0d2b7e4c83a5f0e1d2',
  created_at: '2026-01-02T03:04:05.678Z',
  updated_at: '2026-01-02T03:04:05.678Z',
};

const one = { description: said('The example.', '该样本。'), schema: exampleSchema, example };

export const listContract: Contract = {
  tag,
  summary: said('List examples', '列出样本'),
  description: said(
    'The examples of a dataset or of one of its versions, newest first, for the owner. A cursor belongs to the dataset, the search text and all filters. Large imports are found at once and indexed in the background; until that is done, a search takes longer.',
    '数据集或其某个版本中的样本，按添加时间倒序排列，仅限所有者。游标只对同一数据集、同一搜索文本和同一组筛选条件有效。大批量导入的样本立即可搜索，索引在后台建立，完成之前搜索会慢一些。',
  ),
  answers: {
    200: {
      description: said('A page of examples.', '一页样本。'),
      schema: pageSchema(exampleSchema),
      example: { data: [example], next_cursor: null, total_count: 1 },
    },
  },
  faults: ['invalid_cursor', 'not_found'],
};

export const createContract: Contract = {
  tag,
  summary: said('Add examples', '添加样本'),
  description: said(
    'Each is added for itself: one that is wrong, or that the dataset has already, never sinks the rest. The results say what became of each. An example that is longer than the model takes is kept and marked, but no version takes it.',
    '每个样本单独处理：有错误的或已存在的样本不影响其余样本，结果会逐一说明。超过模型长度上限的样本会保留并标记，但不会进入任何版本。',
  ),
  body: createExamplesDocumented,
  bodyExamples: [
    { title: said('A conversation', '一段对话'), value: { examples: [{ text, split: 'train' }] } },
    { title: said('A query and what it should find', '查询及其应检索到的内容'), value: { examples: [{ embedding }] } },
  ],
  answers: {
    200: {
      description: said('What became of each example.', '每个样本的处理结果。'),
      schema: addedSchema,
      example: {
        results: [
          { index: 0, status: 'created', id: example.id, issues: [] },
          { index: 1, status: 'duplicate', id: null, issues: [] },
        ],
      },
    },
  },
  faults: ['not_found', 'owner_required', 'state_conflict', 'in_use', 'capacity_unavailable'],
  idempotent: true,
};

export const readContract: Contract = {
  tag,
  summary: said('Read an example', '查看样本'),
  description: said('An example with its tokens, its split and what is wrong with it.', '样本及其词元数、划分和问题。'),
  answers: { 200: one },
  faults: ['not_found'],
};

export const updateContract: Contract = {
  tag,
  summary: said('Change an example', '修改样本'),
  description: said(
    'Gives an example another content or split. Its id stays, and versions keep what they have. What already is as asked for stays as it is.',
    '替换样本的内容或划分。ID 不变，已有版本不受影响。值未变化则保持原样。',
  ),
  body: updateExampleDocumented,
  bodyExample: { split: 'test' },
  answers: {
    200: {
      ...one,
      description: said('The example as it is now.', '修改后的样本。'),
      example: { ...example, split: 'test', updated_at: '2026-01-05T08:15:00.123Z' },
    },
  },
  faults: ['not_found', 'owner_required', 'state_conflict', 'kind_mismatch', 'in_use', 'capacity_unavailable'],
};

export const deleteContract: Contract = {
  tag,
  summary: said('Remove an example', '移除样本'),
  description: said(
    'Takes an example out of the dataset; versions that have it keep it. The second time is 404.',
    '将样本移出数据集，已包含它的版本不受影响。再次移除返回 404。',
  ),
  answers: { 204: { description: said('The example is removed.', '样本已移除。') } },
  faults: ['not_found', 'owner_required', 'state_conflict', 'in_use'],
};
