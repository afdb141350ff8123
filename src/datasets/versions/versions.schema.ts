import Type, { type Static } from 'typebox';
import { nullable, pageQuery, said, timestamp } from '#http';
import { splitCountsSchema } from '../datasets.schema.ts';
import type { DatasetVersion } from './versions.store.ts';

export const versionsQuery = Type.Object({
  ...pageQuery,
  dataset_id: Type.Optional(
    Type.String({ ...said('Only versions of this dataset.', '只返回此数据集的版本。'), maxLength: 64 }),
  ),
});

const label = nullable(
  Type.String({ maxLength: 80 }),
  said('A word for people; null: none.', '供人辨认的标签；为 null 表示没有。'),
);

export const createVersionBody = Type.Object({
  label: Type.Optional(
    Type.Unsafe<string | null>({
      ...said('A word for people, on one line.', '供人辨认的标签，不能换行。'),
      type: ['string', 'null'],
      maxLength: 80,
    }),
  ),
});

const count = (english: string, chinese: string) => Type.Integer({ ...said(english, chinese), minimum: 0 });

export const versionSchema = Type.Object(
  {
    id: Type.String(said('Id of the version.', '版本的 ID。')),
    dataset_id: Type.String(said('Id of its dataset.', '所属数据集的 ID。')),
    number: count('1 for the first of its dataset, and so on.', '版本号，每个数据集从 1 开始递增。'),
    label,
    sha256: Type.String(
      said(
        'SHA-256 of the file that it can be downloaded as. Equal content gives equal files, in whatever order it came.',
        '下载文件的 SHA-256。内容相同则文件相同，与添加顺序无关。',
      ),
    ),
    size_bytes: count('Size of that file.', '该文件的大小（字节）。'),
    example_count: count('Examples in it.', '样本数。'),
    split_counts: splitCountsSchema,
    token_stats: Type.Object(
      {
        min: count('Of the shortest example.', '最短样本。'),
        p50: count('Half of the examples are shorter.', '中位数。'),
        p95: count('Of twenty examples, nineteen are shorter.', '第 95 百分位数。'),
        max: count('Of the longest example.', '最长样本。'),
        total: count('All together.', '总数。'),
      },
      said('Tokens of its examples.', '样本的词元数统计。'),
    ),
    parent_version_id: nullable(
      Type.String(),
      said('The version before it; null: it is the first.', '上一个版本；为 null 表示这是第一个版本。'),
    ),
    source: Type.Object(
      {
        kind: Type.Enum(['manual', 'import', 'promotion', 'training'], said('What froze it.', '由什么操作冻结。')),
        id: nullable(Type.String(), said('Its id, where it has one.', '该操作的 ID，没有则为 null。')),
      },
      said('Where it comes from.', '版本的来源。'),
    ),
    used_by: Type.Object(
      {
        training_jobs: count('Training jobs.', '训练任务数。'),
        indexes: count('Vector indexes.', '向量索引数。'),
      },
      said('What was made of it.', '使用此版本的任务与索引。'),
    ),
    created_at: timestamp(said('When it was frozen.', '冻结时间。')),
  },
  {
    $id: 'DatasetVersion',
    ...said('A frozen state of a dataset; it never changes.', '数据集的一个冻结版本，永不改变。'),
  },
);

export function versionToWire(version: DatasetVersion): Static<typeof versionSchema> {
  const { trainCount, testCount } = version;
  return {
    id: version.id,
    dataset_id: version.datasetId,
    number: version.number,
    label: version.label,
    sha256: version.sha256,
    size_bytes: Number(version.bytes),
    example_count: trainCount + testCount,
    split_counts: { train: trainCount, test: testCount },
    token_stats: version.tokenStats,
    parent_version_id: version.parentVersionId,
    source: { kind: version.sourceKind, id: version.sourceId },
    used_by: { training_jobs: version.usedBy.trainingJobs, indexes: version.usedBy.indexes },
    created_at: version.createdAt.toISOString(),
  };
}
