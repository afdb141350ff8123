import Type, { type Static } from 'typebox';
import { nullable, pageQuery, said, timestamp } from '#http';
import type { Dataset } from './datasets.store.ts';
import { batchLimits, type LimitsView } from './limits.ts';

export const datasetsQuery = Type.Object({
  ...pageQuery,
  q: Type.Optional(
    Type.String({
      ...said(
        'Only datasets with this text in their name or description; upper and lower case are the same.',
        '只返回名称或描述中包含此文本的数据集，不区分大小写。',
      ),
      maxLength: 200,
    }),
  ),
  archived: Type.Optional(
    Type.Boolean({
      ...said('Archived datasets instead of open ones.', '设为 true 时返回已归档的数据集，而不是未归档的数据集。'),
      default: false,
    }),
  ),
});

const name = Type.String({
  ...said('Name for people, on one line.', '显示名称，不能换行。'),
  minLength: 1,
  maxLength: 80,
});

/** Not a union: the errors of one would not tell a text that is too long (400) from what is no text (422). */
const description = Type.Unsafe<string | null>({
  ...said('What the dataset is for; null: nothing is said.', '数据集的用途；为 null 表示没有描述。'),
  type: ['string', 'null'],
  maxLength: 500,
});

const targetModel = (english: string, chinese: string) =>
  Type.Unsafe<string | null>({ ...said(english, chinese), type: ['string', 'null'], maxLength: 63 });

export const createDatasetBody = Type.Object({
  name,
  description: Type.Optional(description),
  target_model: Type.Optional(
    targetModel(
      'Base model whose tokenizer counts the examples, and whose context bounds them; it never changes. Without it the first installed model of the kind counts.',
      '用于统计词元数并限制样本长度的基础模型，创建后不能更改。省略时使用第一个已安装的同类模型。',
    ),
  ),
});

export const updateDatasetBody = Type.Object({
  name: Type.Optional(name),
  description: Type.Optional(description),
  archived: Type.Optional(
    Type.Boolean(
      said(
        'True puts the dataset into the archive, where it can be read but not changed; false takes it out.',
        'true 表示归档：归档后只能读取，不能修改；false 表示取消归档。',
      ),
    ),
  ),
  target_model: Type.Optional(targetModel('Fixed: only the present value is taken.', '不能更改：只接受当前值。')),
});

const count = (english: string, chinese: string) => Type.Integer({ ...said(english, chinese), minimum: 0 });

export const splitCountsSchema = Type.Object(
  { train: count('To learn from.', '用于训练。'), test: count('To measure with.', '用于评估。') },
  said('Examples by split.', '按划分统计的样本数。'),
);

export const datasetSchema = Type.Object(
  {
    id: Type.String(said('Id of the dataset.', '数据集的 ID。')),
    name,
    description,
    kind: Type.Enum(['text', 'embedding'], said('The kind of its project.', '与所属项目的类型相同。')),
    target_model: nullable(
      Type.String(),
      said(
        'Base model that counts tokens; null: the first installed one of the kind.',
        '统计词元数的基础模型；为 null 表示第一个已安装的同类模型。',
      ),
    ),
    example_count: count('All examples, also those that no version takes.', '全部样本数，包括不会进入版本的样本。'),
    split_counts: splitCountsSchema,
    invalid_count: count(
      'Of them, examples that no version takes because they are too long.',
      '其中因过长而不会进入版本的样本数。',
    ),
    token_total: count('Tokens of all examples.', '全部样本的词元总数。'),
    head_sha256: nullable(
      Type.String(),
      said(
        'SHA-256 of the present content; null: it has changed since the latest version.',
        '当前内容的 SHA-256；为 null 表示自最新版本以来已有改动。',
      ),
    ),
    latest_version: nullable(
      Type.Object({
        id: Type.String(said('Id of the version.', '版本的 ID。')),
        number: count('Its number.', '版本号。'),
      }),
      said('The version that was frozen last.', '最近一次冻结的版本。'),
    ),
    pending_retrieval_events: count('Search feedback that waits for a decision.', '等待处理的检索反馈数。'),
    archived_at: nullable(
      timestamp(said('When it was archived.', '归档时间。')),
      said('When it was archived; null: it is open.', '归档时间；为 null 表示未归档。'),
    ),
    created_at: timestamp(said('When it was made.', '创建时间。')),
    updated_at: timestamp(said('When it or its examples last changed.', '数据集或其样本最后一次更改的时间。')),
  },
  { $id: 'Dataset', ...said('A dataset.', '一个数据集。') },
);

export type DatasetWire = Static<typeof datasetSchema>;

export function datasetToWire(dataset: Dataset): DatasetWire {
  const { trainCount, testCount } = dataset;
  return {
    id: dataset.id,
    name: dataset.name,
    description: dataset.description,
    kind: dataset.kind,
    target_model: dataset.targetModel,
    example_count: trainCount + testCount,
    split_counts: { train: trainCount, test: testCount },
    invalid_count: dataset.invalidCount,
    token_total: Number(dataset.tokenTotal),
    head_sha256: dataset.headSha256,
    latest_version: dataset.latestVersion,
    pending_retrieval_events: dataset.pendingRetrievalEvents,
    archived_at: dataset.archivedAt?.toISOString() ?? null,
    created_at: dataset.createdAt.toISOString(),
    updated_at: dataset.updatedAt.toISOString(),
  };
}

export const limitsSchema = Type.Object(
  {
    max_datasets: count('Open datasets of the project.', '项目中未归档数据集的上限。'),
    max_examples_per_dataset: count('Examples of one dataset.', '每个数据集的样本数上限。'),
    max_example_tokens: nullable(
      Type.Integer(),
      said(
        'Longest example (of a conversation) or text (to embed), tokens, for datasets that name no model; null: no model of this kind is installed.',
        '未指定模型的数据集中，单个对话样本或单段嵌入文本的最大词元数；为 null 表示没有安装该类型的模型。',
      ),
    ),
    max_import_bytes: count('Size of an uploaded file.', '上传文件的大小上限（字节）。'),
    max_import_rows: count('Rows of an uploaded file.', '上传文件的行数上限。'),
    max_versions_per_dataset: count('Versions of one dataset.', '每个数据集的版本数上限。'),
    max_indexes: count('Vector indexes of the project.', '项目中向量索引数的上限。'),
    max_retrieval_batch: count('Retrieval events of one request.', '一次请求中检索事件数的上限。'),
    max_results_per_event: count('Results of one retrieval event.', '每个检索事件的结果数上限。'),
    min_training_examples: count('Fewest examples that a training job takes.', '训练任务所需的最少样本数。'),
    used: Type.Object(
      {
        datasets: count('Open datasets.', '未归档的数据集数。'),
        examples: count('Examples of all datasets.', '全部数据集的样本数。'),
        bytes: count('What they say, as JSON.', '样本内容（JSON）的总字节数。'),
      },
      said('What the project has.', '项目的当前用量。'),
    ),
  },
  { $id: 'DatasetLimits', ...said('Limits of datasets, and what is used of them.', '数据集的各项上限与用量。') },
);

export function limitsToWire({ limits, maxExampleTokens, used }: LimitsView): Static<typeof limitsSchema> {
  return {
    max_datasets: limits.maxDatasets,
    max_examples_per_dataset: limits.maxExamplesPerDataset,
    max_example_tokens: maxExampleTokens,
    max_import_bytes: limits.maxImportBytes,
    max_import_rows: limits.maxImportRows,
    max_versions_per_dataset: limits.maxVersionsPerDataset,
    max_indexes: limits.maxIndexes,
    max_retrieval_batch: batchLimits.maxRetrievalBatch,
    max_results_per_event: batchLimits.maxResultsPerEvent,
    min_training_examples: limits.minTrainingExamples,
    used: { datasets: used.datasets, examples: used.examples, bytes: Number(used.bytes) },
  };
}
