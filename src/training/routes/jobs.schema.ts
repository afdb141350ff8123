import Type from 'typebox';
import { creditsText, pageQuery, said, timestamp } from '#http';
import { failureCodes, jobStates } from '../jobs/lifecycle.ts';
import { count, orNull, text, timeOrNull } from './fields.ts';

/** A field that may be sent as null. */
const optional = <Value>(type: string, options: Record<string, unknown>) =>
  Type.Optional(Type.Unsafe<Value | null>({ ...options, type: [type, 'null'] }));

const controlSaid = [
  'What the model could do before and must not forget: measured before and after, as `control.*` of the metrics.',
  '模型原有且不应遗忘的能力：训练前后各测一次，指标名为 `control.*`。',
] as const;
const controlVersion = [
  'Dataset version of the same kind, in this project, that is measured.',
  '本项目中同类型、用于测量的数据集版本。',
] as const;
const controlReplay = [
  'Share of each step that is taken from it, so that less is forgotten; a fifth of it is then held out and measured. Default 0: it is only measured.',
  '每步中取自该版本的比例，以减少遗忘；此时其五分之一留出用于测量。默认 0：仅测量。',
] as const;

export const createJobBody = Type.Object({
  name: optional<string>('string', {
    ...said('A name for people; default: made of dataset and model.', '名称；默认由数据集和模型名组成。'),
    maxLength: 80,
  }),
  base_model: text('Base model to train on, by its catalogue id.', '要训练的基础模型（目录 ID）。'),
  dataset_id: text('Dataset to learn from.', '用于学习的数据集。'),
  dataset_version_id: optional<string>('string', {
    ...said('Version of it; default: what it holds now is frozen.', '数据集版本；默认冻结当前内容。'),
    maxLength: 64,
  }),
  hyperparameters: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      ...said(
        'What differs from the defaults of the base model; names and ranges are in `GET /api/v1/base-models`.',
        '与基础模型默认值不同的超参数；名称与范围见 `GET /api/v1/base-models`。',
      ),
    }),
  ),
  evaluation: Type.Optional(
    Type.Object(
      {
        test_ratio: optional<number>('number', {
          ...said(
            'Share to hold out of the examples that are not for testing anyway; null: none of them.',
            '在测试样本之外，另从其余样本中留出的比例；为 null 时不另留出。',
          ),
          minimum: 0,
          maximum: 0.5,
        }),
        every_steps: optional<number>('integer', {
          ...said('Evaluate after so many steps; null: a few times.', '每隔多少步评估一次；为 null 时自动决定。'),
          minimum: 1,
          maximum: 1_000_000,
        }),
        early_stopping_patience: optional<number>('integer', {
          ...said(
            'End after so many evaluations without gain; null: never. The best weights are kept in any case.',
            '连续多少次评估无提升则提前结束；为 null 则从不提前结束。无论如何都保留最佳权重。',
          ),
          minimum: 1,
          maximum: 1_000,
        }),
        control: Type.Optional(
          Type.Unsafe<{ dataset_version_id: string; replay_ratio?: number } | null>({
            ...Type.Object(
              {
                dataset_version_id: Type.String({ ...said(...controlVersion), maxLength: 64 }),
                replay_ratio: Type.Optional(Type.Number({ ...said(...controlReplay), minimum: 0, maximum: 0.5 })),
              },
              said(...controlSaid),
            ),
            type: ['object', 'null'],
          }),
        ),
      },
      said('How to tell what was learned.', '评估方式。'),
    ),
  ),
  deploy: Type.Optional(
    Type.Unsafe<{ alias: string; activate: boolean } | null>({
      ...Type.Object(
        {
          alias: text('Alias of the project, new or there already.', '项目中的别名，可新建或已存在。'),
          activate: Type.Boolean(said('Activate it, too.', '同时激活。')),
        },
        said('Puts the result behind an alias once it has succeeded.', '成功后将结果置于别名之后。'),
      ),
    }),
  ),
  dry_run: Type.Optional(
    Type.Boolean(said('Only tell what it would be and cost.', '只返回将会如何以及费用，不创建任务。')),
  ),
});

export const jobsQuery = Type.Object({
  ...pageQuery,
  state: Type.Optional(Type.Enum([...jobStates], said('Only jobs in this state.', '只返回处于此状态的任务。'))),
  base_model: Type.Optional(
    Type.String({ ...said('Only jobs on this base model.', '只返回基于此模型的任务。'), maxLength: 64 }),
  ),
  dataset_id: Type.Optional(
    Type.String({ ...said('Only jobs that learn from this dataset.', '只返回使用此数据集的任务。'), maxLength: 64 }),
  ),
  q: Type.Optional(Type.String({ ...said('Part of the name.', '名称中的一部分。'), maxLength: 200 })),
});

export const cancelBody = Type.Object({
  keep_checkpoint: Type.Optional(
    Type.Boolean(
      said('Keep the last checkpoint, to retry from; default true.', '保留最后的检查点以便重试；默认 true。'),
    ),
  ),
});

export const hyperparameterValues = Type.Record(
  Type.String(),
  Type.Unknown(),
  said('Every hyperparameter, defaults included.', '全部超参数，含默认值。'),
);

export const evaluationSchema = Type.Object(
  {
    test_ratio: orNull(
      Type.Number(),
      'Share that is held out of the examples that are not for testing anyway; null: none of them.',
      '在测试样本之外，另从其余样本中留出的比例；null 表示不另留出。',
    ),
    every_steps: orNull(Type.Integer(), 'Steps between evaluations.', '两次评估之间的步数。'),
    early_stopping_patience: orNull(
      Type.Integer(),
      'Evaluations without gain before the end; null: it never ends early.',
      '无提升的评估次数上限；null 表示从不提前结束。',
    ),
    control: orNull(
      Type.Object({
        dataset_version_id: text(...controlVersion),
        replay_ratio: Type.Number(said(...controlReplay)),
      }),
      ...controlSaid,
    ),
  },
  said('How it is told what was learned.', '评估方式。'),
);

export const jobErrorSchema = Type.Object(
  {
    code: Type.Enum([...failureCodes], said('What went wrong.', '错误代码。')),
    message: text('The same in words.', '错误说明。'),
    hint: text('What to do about it.', '处理建议。'),
    retryable: Type.Boolean(said('Trying again may help.', '重试可能有效。')),
    log_seq: orNull(Type.Integer(), 'Line of the log that tells of it.', '相应日志行的序号。'),
  },
  said('Why it failed.', '失败原因。'),
);

const metricsSchema = (english: string, chinese: string) =>
  Type.Record(Type.String(), Type.Number(), said(english, chinese));

const resultSchema = Type.Object(
  {
    adapter: Type.Object(
      {
        size_bytes: count('Size of the adapter.', '适配器大小（字节）。'),
        sha256: text('Digest of the adapter that is served.', '所服务适配器的 SHA-256。'),
        rank: Type.Integer(said('Its rank.', '秩。')),
      },
      said('What was learned.', '训练所得的适配器。'),
    ),
    metrics: metricsSchema(
      'Measured on held-out examples: `loss` and `exact_match` of answers; `ndcg10`, `mrr10`, `recall1`, `recall10`, `recall100` of searches, with `gain.ndcg10` and its 95 % interval, `gain.low` to `gain.high`. `gain.measurable` is 0 where that reaches 0: the change may be chance.',
      '在留出样本上的指标：回答为 `loss` 与 `exact_match`；检索为 `ndcg10`、`mrr10`、`recall1`、`recall10`、`recall100`，以及 `gain.ndcg10` 及其 95% 区间（`gain.low` 至 `gain.high`）。区间含 0 时 `gain.measurable` 为 0，变化可能只是偶然。',
    ),
    baseline_metrics: orNull(
      Type.Record(Type.String(), Type.Number()),
      'The same before training.',
      '训练前的同样指标。',
    ),
    max_input_tokens: orNull(Type.Integer(), 'Longest input of an embedding model.', '嵌入模型的最长输入。'),
    check: Type.Object(
      {
        agreement: Type.Number(
          said('Cosine between trained and served; 1: the same.', '训练结果与服务结果的余弦相似度。'),
        ),
        difference: Type.Number(said('How far it is from the base model.', '与基础模型的差异。')),
      },
      said('What is served was compared with what was trained.', '服务结果与训练结果的比对。'),
    ),
  },
  said('What came of it.', '训练结果。'),
);

export const jobSchema = Type.Object(
  {
    id: text('Id of the job.', '任务 ID。'),
    model_ref: text('What to call once it has succeeded.', '成功后可调用的模型名。'),
    name: text('A name for people.', '名称。'),
    kind: Type.Enum(['text', 'embedding'], said('Kind of its project.', '项目类型。')),
    base_model: text('The base model.', '基础模型。'),
    base_revision: text('Digest of its file.', '基础模型文件的 SHA-256。'),
    dataset_id: text('The dataset.', '数据集。'),
    dataset_version_id: text('The frozen version that it learns from.', '所用的冻结版本。'),
    dataset_sha256: text('Digest of that version.', '该版本的 SHA-256。'),
    hyperparameters: hyperparameterValues,
    evaluation: evaluationSchema,
    deploy: orNull(
      Type.Object({
        alias: text('Its name.', '别名。'),
        activate: Type.Boolean(said('It is activated, too.', '同时激活。')),
      }),
      'Alias for the result.',
      '结果所用的别名。',
    ),
    state: Type.Enum([...jobStates], said('Where it is.', '状态。')),
    phase: orNull(Type.String(), 'What is being done.', '当前阶段。'),
    queue_position: orNull(Type.Integer(), '1: the next one.', '排队位置，1 表示下一个。'),
    progress: Type.Object(
      {
        step: count('Steps done.', '已完成步数。'),
        total_steps: orNull(Type.Integer(), 'Steps in all.', '总步数。'),
        epoch: orNull(Type.Number(), 'How often the examples were seen.', '已完成的轮数。'),
        percent: orNull(Type.Number(), 'Part of the steps.', '完成百分比。'),
        eta_ms: orNull(Type.Number(), 'Time left.', '预计剩余时间（毫秒）。'),
        loss: orNull(Type.Number(), 'Loss of the last step.', '最近一步的损失。'),
        eval_loss: orNull(Type.Number(), 'Loss on held-out examples.', '留出样本的损失。'),
        tokens_seen: count('Tokens learned from.', '已学习的词元数。'),
      },
      said('How far it is.', '进度。'),
    ),
    attempt: Type.Integer(said('Number of the present attempt.', '当前尝试的编号。')),
    attempts_total: Type.Integer(said('Attempts so far.', '尝试总数。')),
    cancel_requested: Type.Boolean(said('It is to be canceled.', '已请求取消。')),
    error: orNull(jobErrorSchema, 'Why it failed.', '失败原因。'),
    result: orNull(resultSchema, 'What came of it.', '训练结果。'),
    deployed_as: Type.Array(Type.String(), said('Aliases that stand for it.', '指向它的别名。')),
    rate: Type.Object(
      {
        credits_per_gpu_minute: creditsText(said('Credits for a minute of active time.', '每分钟有效时间的额度。')),
        price_version: text('The price list that it is from.', '价目版本。'),
      },
      said('Frozen when the job was made.', '创建时固定的费率。'),
    ),
    active_ms: count('Active time of all attempts, ms.', '全部尝试的有效时间（毫秒）。'),
    billed_ms: count('Of it, what was charged for, ms.', '其中已计费的时间（毫秒）。'),
    credits: creditsText(said('What was charged.', '已扣额度。')),
    can_retry: Type.Boolean(said('Another attempt can be made.', '可以重试。')),
    retry_blocked_reason: orNull(Type.String(), 'Why not.', '不能重试的原因。'),
    created_by: Type.Object(
      {
        kind: text('`account` or `api_key`.', '`account` 或 `api_key`。'),
        id: orNull(Type.String(), 'Its id.', '其 ID。'),
        label: text('Its name.', '其名称。'),
      },
      said('Who asked for it.', '创建者。'),
    ),
    created_at: timestamp(said('When it was made.', '创建时间。')),
    started_at: timeOrNull('When training began.', '训练开始时间。'),
    finished_at: timeOrNull('When it was over.', '结束时间。'),
  },
  { $id: 'TrainingJob', ...said('A training job.', '训练任务。') },
);
