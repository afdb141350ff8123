import Type, { type Static } from 'typebox';
import { creditsText, nullable, pageQuery, said, timestamp } from '#http';
import { formatCredits } from '#kernel';
import type { DatasetIndex } from './dataset-index.ts';

const states = ['queued', 'building', 'ready', 'failed', 'canceled', 'stale'] as const;

export const indexesQuery = Type.Object({
  ...pageQuery,
  dataset_id: Type.Optional(
    Type.String({ ...said('Only indexes of this dataset.', '只返回此数据集的索引。'), maxLength: 64 }),
  ),
  state: Type.Optional(Type.Enum([...states], said('Only indexes in this state.', '只返回处于此状态的索引。'))),
});

export const createIndexBody = Type.Object({
  version_id: Type.String({
    ...said('The version whose positives and negatives become searchable.', '其正例与反例将可被检索的版本。'),
    maxLength: 64,
  }),
  model: Type.String({
    ...said('What embeds: an alias of the project, or a base model.', '用于嵌入的模型：项目的别名或基础模型。'),
    minLength: 1,
    maxLength: 128,
  }),
});

const count = (english: string, chinese: string) => Type.Integer({ ...said(english, chinese), minimum: 0 });
const share = (english: string, chinese: string) => Type.Number({ ...said(english, chinese), minimum: 0, maximum: 1 });

const metricsSchema = Type.Object(
  {
    recall_at_1: share('Part of the positives that are the first result.', '排在第一位的正例所占比例。'),
    recall_at_10: share('Part of the positives within the first ten.', '排在前十位的正例所占比例。'),
    recall_at_100: share('Part of the positives within the first hundred.', '排在前一百位的正例所占比例。'),
    mrr_at_10: share(
      'One by the rank of the first right result; 0 beyond ten.',
      '首个正确结果排名的倒数；十名以外为 0。',
    ),
    ndcg_at_10: share('How near the order is to the best one, within ten.', '前十名的排序与理想排序的接近程度。'),
    queries: count('Queries that these are means over.', '参与平均的查询数。'),
  },
  said(
    'How well the model finds the positives of the test split among all documents; means over at most 2,000 queries.',
    '模型在全部文档中找到测试划分正例的效果；为至多 2,000 个查询的平均值。',
  ),
);

export const indexSchema = Type.Object(
  {
    id: Type.String(said('Id of the index.', '索引的 ID。')),
    dataset_id: Type.String(said('Id of the dataset.', '所属数据集的 ID。')),
    version_id: Type.String(said('Id of the version.', '所属版本的 ID。')),
    model: Type.String(said('The model as it was named.', '请求时所用的模型名。')),
    base_model: Type.String(said('The base model behind it.', '其背后的基础模型。')),
    model_revision: nullable(
      Type.Integer(),
      said(
        'Revision of the alias that the index was made with; null for a base model.',
        '建立索引时别名的修订号；基础模型为 null。',
      ),
    ),
    dimensions: count('Length of the vectors.', '向量维度。'),
    documents: nullable(
      Type.Integer({ minimum: 0 }),
      said(
        'Different texts of the version; null: they are being collected.',
        '版本中不同文本的数量；为 null 表示尚在收集。',
      ),
    ),
    truncated: count('Of them, texts that were cut to what the model takes.', '其中因超过模型长度而被截断的文本数。'),
    state: Type.Enum(
      [...states],
      said(
        '`queued` to `building` to `ready`, `failed` or `canceled`; `stale`: there is a newer version or another model behind the name, and it can still be searched.',
        '`queued` → `building` → `ready`、`failed` 或 `canceled`；`stale` 表示已有更新的版本，或该名称背后的模型已变，但仍可检索。',
      ),
    ),
    progress: Type.Object(
      {
        phase: nullable(
          Type.Enum(['collecting', 'embedding', 'evaluating']),
          said('What is being done; null: nothing.', '当前阶段；为 null 表示没有进行中的工作。'),
        ),
        done: count('Documents that have their vectors.', '已有向量的文档数。'),
        total: nullable(Type.Integer(), said('All documents; null: not known yet.', '文档总数；为 null 表示未知。')),
        percent: nullable(Type.Number(), said('The same in per cent.', '完成的百分比。')),
      },
      said('How far the build is.', '构建进度。'),
    ),
    metrics: nullable(
      metricsSchema,
      said(
        'Null until it is ready, and where the version has no test examples.',
        '就绪前为 null；版本没有测试样本时也为 null。',
      ),
    ),
    error: nullable(
      Type.Object({
        code: Type.String(said('Why it failed, as a word.', '失败原因代码。')),
        message: Type.String(said('The same for people.', '失败原因说明。')),
      }),
      said('Null unless it failed.', '未失败时为 null。'),
    ),
    active_ms: Type.Integer({ ...said('Time of the model, ms.', '模型的活跃时间（毫秒）。'), minimum: 0 }),
    credits: creditsText(said('What was charged for the build.', '构建所扣的积分。')),
    rate: Type.Object(
      {
        credits_per_gpu_minute: creditsText(said('Of the build.', '构建的费率。')),
        price_version: Type.String(said('The price list that it is from.', '所依据的价目版本。')),
      },
      said('Frozen when the index was asked for.', '在请求创建索引时固定的费率。'),
    ),
    created_at: timestamp(said('When it was asked for.', '创建时间。')),
    ready_at: nullable(
      timestamp(said('When it was ready.', '就绪时间。')),
      said('When it was ready; null: it is not.', '就绪时间；未就绪为 null。'),
    ),
  },
  { $id: 'DatasetIndex', ...said('A vector index over the documents of a version.', '版本文档的向量索引。') },
);

export type IndexWire = Static<typeof indexSchema>;

export function indexToWire(index: DatasetIndex): IndexWire {
  const { documents, embedded } = index;
  return {
    id: index.id,
    dataset_id: index.datasetId,
    version_id: index.versionId,
    model: index.model,
    base_model: index.baseModelId,
    model_revision: index.modelRevision,
    dimensions: index.dimensions,
    documents,
    truncated: index.truncated,
    state: index.state,
    progress: {
      phase: index.phase,
      done: embedded,
      total: documents,
      percent: documents ? Math.floor((1_000 * embedded) / documents) / 10 : null,
    },
    metrics: index.metrics && {
      recall_at_1: index.metrics.recallAt1,
      recall_at_10: index.metrics.recallAt10,
      recall_at_100: index.metrics.recallAt100,
      mrr_at_10: index.metrics.mrrAt10,
      ndcg_at_10: index.metrics.ndcgAt10,
      queries: index.metrics.queries,
    },
    error: index.error,
    active_ms: Math.round(index.activeMs),
    credits: formatCredits(index.chargedMicro ?? 0n),
    rate: { credits_per_gpu_minute: formatCredits(index.rateMicroPerMinute), price_version: index.priceVersion },
    created_at: index.createdAt.toISOString(),
    ready_at: index.readyAt?.toISOString() ?? null,
  };
}
