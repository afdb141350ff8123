import Type from 'typebox';
import { nullable, pageQuery, said, timestamp } from '#http';
import { logLevels } from '../logs/logs.store.ts';

const attempt = Type.Optional(
  Type.Integer({ ...said('Number of an attempt.', '尝试的编号。'), minimum: 1, maximum: 1_000_000 }),
);

export const logsQuery = Type.Object({
  ...pageQuery,
  attempt,
  level: Type.Optional(Type.Enum([...logLevels], said('This level and above.', '此级别及以上。'))),
  after_seq: Type.Optional(
    Type.Integer({
      ...said('Only lines behind this number.', '只返回此序号之后的行。'),
      minimum: 0,
      maximum: 1_000_000_000_000,
    }),
  ),
});

export const metricsQuery = Type.Object({
  attempt,
  max_points: Type.Optional(
    Type.Integer({
      ...said('Points of a series at most; default 500.', '每个序列的最多点数，默认 500。'),
      minimum: 2,
      maximum: 5_000,
    }),
  ),
});

export const frozenQuery = Type.Object({
  split: Type.Optional(Type.Enum(['train', 'test'], said('Only this split.', '只返回此划分。'))),
});

export const attemptQuery = Type.Object({ attempt });

export const logSchema = Type.Object(
  {
    seq: Type.Integer(said('Number in the log of the job, without gaps.', '任务日志中的连续序号。')),
    attempt: Type.Integer(said('The attempt that it is about.', '所属的尝试。')),
    at: timestamp(said('When it was written.', '写入时间。')),
    level: Type.Enum([...logLevels], said('How much it matters.', '级别。')),
    source: Type.Enum(['system', 'trainer'], said('Who says it.', '来源。')),
    message: Type.String(said('What happened.', '内容。')),
    data: nullable(Type.Unknown(), said('The same as fields.', '结构化数据。')),
  },
  { $id: 'TrainingLogLine', ...said('A line of the log.', '一行日志。') },
);

export const metricsSchema = Type.Object({
  attempt: Type.Integer(said('The attempt.', '尝试的编号。')),
  series: Type.Array(
    Type.Object({
      name: Type.String(said('What was measured.', '指标名。')),
      points: Type.Array(
        Type.Unsafe<[number, number]>({
          type: 'array',
          items: { type: 'number' },
          minItems: 2,
          maxItems: 2,
        }),
        said('Step and value.', '步数与数值。'),
      ),
    }),
    said('One for each thing that was measured.', '每个指标一个序列。'),
  ),
});

export const frozenSchema = Type.Object({
  dataset_id: Type.String(said('The dataset.', '数据集。')),
  version_id: Type.String(said('The frozen version.', '冻结的版本。')),
  sha256: Type.String(said('Digest of its rows.', '各行的 SHA-256。')),
  example_count: Type.Integer(said('Examples in it.', '样本数。')),
  split_counts: Type.Object(
    {
      train: Type.Integer(said('To learn from.', '训练样本数。')),
      test: Type.Integer(said('For testing.', '测试样本数。')),
    },
    said(
      'By split, as the version has it; what a `test_ratio` holds out beside is in `tokens.held_out`.',
      '按版本中的划分统计；`test_ratio` 另外留出的部分计入 `tokens.held_out`。',
    ),
  ),
  tokens: nullable(
    Type.Object({
      samples: Type.Integer(said('Sequences or pairs that are learned from.', '用于学习的序列或配对数。')),
      held_out: Type.Integer(said('The same, held out.', '留出的序列或配对数。')),
      trained: Type.Integer(said('Tokens that are learned.', '参与学习的词元数。')),
      dropped: Type.Integer(said('Examples that were too long.', '因过长而舍弃的样本数。')),
      not_learnable: Type.Integer(
        said(
          'Examples that were left out, whole or in part, because the base model cannot learn them; the log names the first ones.',
          '因基础模型无法学习而全部或部分略过的样本数；日志会列出最先几个。',
        ),
      ),
    }),
    said('What was made of it; null: not yet.', '由其生成的训练数据；为 null 表示尚未生成。'),
  ),
  snapshot_sha256: nullable(Type.String(), said('Digest of those tokens.', '训练数据的 SHA-256。')),
});

export const manifestSchema = Type.Record(
  Type.String(),
  Type.Unknown(),
  said('Where the adapter comes from: base, data, settings, digests.', '适配器的来源：基础模型、数据、设置与摘要。'),
);
