import Type, { type TSchema } from 'typebox';
import { creditsText, type Said, said, timestamp } from '#http';
import { count, orNull, resumeFields, text } from './fields.ts';
import { evaluationSchema, hyperparameterValues } from './jobs.schema.ts';

const retryFrom = Type.Enum(
  ['checkpoint', 'start'],
  said('From the newest checkpoint, or from the beginning.', '从最新检查点或从头开始。'),
);
export const retryBody = Type.Object({ from: retryFrom });
export const retryQuery = Type.Object({ from: Type.Optional(retryFrom) });

const figures = <Value extends TSchema>(value: (text: Said) => Value, english: string, chinese: string) =>
  Type.Object(
    {
      low: value(said('If all goes well.', '顺利时。')),
      expected: value(said('Most likely.', '最可能的值。')),
      high: value(said('On a bad day.', '不利时。')),
    },
    said(english, chinese),
  );

const jobEstimateSchema = Type.Object(
  {
    active_ms: figures((each) => Type.Integer(each), 'Active time.', '有效时间（毫秒）。'),
    credits: figures(creditsText, 'What it costs; `high` is held.', '费用；`high` 会被预留。'),
    basis: Type.Enum(['measured_step_time', 'catalog_profile'], said('How it is known.', '估算依据。')),
  },
  said('What it takes.', '估算。'),
);

export const dryRunSchema = Type.Object(
  {
    job: Type.Object(
      {
        name: text('A name for people.', '名称。'),
        kind: Type.Enum(['text', 'embedding'], said('Kind of its project.', '项目类型。')),
        base_model: text('The base model.', '基础模型。'),
        base_revision: text('Digest of its file.', '基础模型文件的 SHA-256。'),
        dataset_id: text('The dataset.', '数据集。'),
        dataset_version_id: orNull(Type.String(), 'Null: it would be frozen now.', '为 null 表示届时冻结。'),
        hyperparameters: hyperparameterValues,
        evaluation: evaluationSchema,
      },
      said('The job as it would be.', '将会创建的任务。'),
    ),
    estimate: jobEstimateSchema,
    warnings: Type.Array(
      Type.Object({ code: text('What is odd.', '代码。'), message: text('The same in words.', '说明。') }),
      said('What to think about first.', '需要留意之处。'),
    ),
  },
  said('What the job would be and cost.', '任务预览与费用。'),
);

export const retryEstimateSchema = Type.Object(
  {
    can_retry: Type.Boolean(said('Another attempt can be made.', '可以重试。')),
    blocked_reason: orNull(
      Type.Enum([
        'not_finished',
        'succeeded',
        'frozen_dataset_missing',
        'base_model_unavailable',
        'insufficient_credits',
      ]),
      'Why not.',
      '不能重试的原因。',
    ),
    from: retryFrom,
    checkpoint: orNull(
      Type.Object({
        ...resumeFields,
        saved_at: timestamp(said('When it was written.', '写入时间。')),
      }),
      'Where it would go on; null: from the beginning.',
      '继续的检查点；为 null 表示从头开始。',
    ),
    remaining_steps: count('Steps that are left.', '剩余步数。'),
    active_ms: figures((each) => Type.Integer(each), 'Active time.', '有效时间（毫秒）。'),
    credits: figures(creditsText, 'What it costs.', '费用。'),
    basis: Type.Enum(['measured_step_time', 'catalog_profile'], said('How it is known.', '估算依据。')),
    available_credits: creditsText(said('What the account has.', '账户可用额度。')),
  },
  said('What another attempt would take.', '重试的估算。'),
);
