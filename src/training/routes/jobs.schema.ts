import Type from 'typebox';
import { creditsText, nullable, pageQuery, timestamp } from '#http';
import { failureCodes, jobStates } from '../jobs/lifecycle.ts';

export const count = (description: string) => Type.Integer({ description, minimum: 0 });
export const text = (description: string) => Type.String({ description });
export const orNull = <Schema extends Parameters<typeof nullable>[0]>(schema: Schema, description: string) =>
  nullable(schema, description);

export const timeOrNull = (description: string) => nullable(Type.String({ format: 'date-time' }), description);

export const resumeFields = {
  attempt: Type.Integer({ description: 'The attempt that it is of.' }),
  step: Type.Integer({ description: 'The step after which it was written.' }),
};

const optional = <Value>(type: string, options: Record<string, unknown>) =>
  Type.Optional(Type.Unsafe<Value | null>({ ...options, type: [type, 'null'] }));

const controlText =
  'What the model could do before and must not forget: measured before and after, as `control.*` of the metrics.';
const controlVersion = 'Dataset version of the same kind, in this project, that is measured.';
const controlReplay =
  'Share of each step that is taken from it, so that less is forgotten; a fifth of it is then held out and measured. Default 0: it is only measured.';

export const createJobBody = Type.Object({
  name: optional<string>('string', {
    description: 'A name for people; default: made of dataset and model.',
    maxLength: 80,
  }),
  base_model: text('Base model to train on, by its catalogue id.'),
  dataset_id: text('Dataset to learn from.'),
  dataset_version_id: optional<string>('string', {
    description: 'Version of it; default: what it holds now is frozen.',
    maxLength: 64,
  }),
  hyperparameters: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        'What differs from the defaults of the base model; names and ranges are in `GET /api/v1/base-models`.',
    }),
  ),
  evaluation: Type.Optional(
    Type.Object(
      {
        test_ratio: optional<number>('number', {
          description: 'Share to hold out of the examples that are not for testing anyway; null: none of them.',
          minimum: 0,
          maximum: 0.5,
        }),
        every_steps: optional<number>('integer', {
          description: 'Evaluate after so many steps; null: a few times.',
          minimum: 1,
          maximum: 1_000_000,
        }),
        early_stopping_patience: optional<number>('integer', {
          description:
            'End after so many evaluations without gain; null: never. The best weights are kept in any case.',
          minimum: 1,
          maximum: 1_000,
        }),
        control: Type.Optional(
          Type.Unsafe<{ dataset_version_id: string; replay_ratio?: number } | null>({
            ...Type.Object(
              {
                dataset_version_id: Type.String({ description: controlVersion, maxLength: 64 }),
                replay_ratio: Type.Optional(Type.Number({ description: controlReplay, minimum: 0, maximum: 0.5 })),
              },
              { description: controlText },
            ),
            type: ['object', 'null'],
          }),
        ),
      },
      { description: 'How to tell what was learned.' },
    ),
  ),
  deploy: Type.Optional(
    Type.Unsafe<{ alias: string; activate: boolean } | null>({
      ...Type.Object(
        {
          alias: text('Alias of the project, new or there already.'),
          activate: Type.Boolean({ description: 'Activate it, too.' }),
        },
        { description: 'Puts the result behind an alias once it has succeeded.' },
      ),
    }),
  ),
  dry_run: Type.Optional(Type.Boolean({ description: 'Only tell what it would be and cost.' })),
});

export const jobsQuery = Type.Object({
  ...pageQuery,
  state: Type.Optional(Type.Enum([...jobStates], { description: 'Only jobs in this state.' })),
  base_model: Type.Optional(Type.String({ description: 'Only jobs on this base model.', maxLength: 64 })),
  dataset_id: Type.Optional(Type.String({ description: 'Only jobs that learn from this dataset.', maxLength: 64 })),
  q: Type.Optional(Type.String({ description: 'Part of the name.', maxLength: 200 })),
});

export const cancelBody = Type.Object({
  keep_checkpoint: Type.Optional(
    Type.Boolean({ description: 'Keep the last checkpoint, to retry from; default true.' }),
  ),
});

export const hyperparameterValues = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Every hyperparameter, defaults included.',
});

export const evaluationSchema = Type.Object(
  {
    test_ratio: orNull(
      Type.Number(),
      'Share that is held out of the examples that are not for testing anyway; null: none of them.',
    ),
    every_steps: orNull(Type.Integer(), 'Steps between evaluations.'),
    early_stopping_patience: orNull(
      Type.Integer(),
      'Evaluations without gain before the end; null: it never ends early.',
    ),
    control: orNull(
      Type.Object({
        dataset_version_id: text(controlVersion),
        replay_ratio: Type.Number({ description: controlReplay }),
      }),
      controlText,
    ),
  },
  { description: 'How the model was given what it learned.' },
);

export const jobErrorSchema = Type.Object(
  {
    code: Type.Enum([...failureCodes], { description: 'Code of the error.' }),
    message: text('The error in words.'),
    hint: text('What to do about it.'),
    retryable: Type.Boolean({ description: 'Trying again may help.' }),
    log_seq: orNull(Type.Integer(), 'Line of the log that tells of it.'),
  },
  { description: 'Why it failed.' },
);

const metricsSchema = (description: string) => Type.Record(Type.String(), Type.Number(), { description });

const resultSchema = Type.Object(
  {
    adapter: Type.Object(
      {
        size_bytes: count('Size of the adapter.'),
        sha256: text('Digest of the adapter that is served.'),
        rank: Type.Integer({ description: 'Its rank.' }),
      },
      { description: 'What was learned.' },
    ),
    metrics: metricsSchema(
      'Measured on held-out examples: `loss` and `exact_match` of answers; `ndcg10`, `mrr10`, `recall1`, `recall10`, `recall100` of searches, with `gain.ndcg10` and its 95 % interval, `gain.low` to `gain.high`. `gain.measurable` is 0 where that reaches 0: the change may be chance.',
    ),
    baseline_metrics: orNull(Type.Record(Type.String(), Type.Number()), 'The same before training.'),
    max_input_tokens: orNull(Type.Integer(), 'Longest input of an embedding model.'),
    check: Type.Object(
      {
        agreement: Type.Number({ description: 'Cosine between trained and served; 1: the same.' }),
        difference: Type.Number({ description: 'How far it is from the base model.' }),
      },
      { description: 'What is served was compared with what was trained.' },
    ),
  },
  { description: 'What came of it.' },
);

export const jobSchema = Type.Object(
  {
    id: text('Id of the job.'),
    model_ref: text('What to call once it has succeeded.'),
    name: text('A name for people.'),
    kind: Type.Enum(['text', 'embedding'], { description: 'Kind of its project.' }),
    base_model: text('The base model.'),
    base_revision: text('Digest of its file.'),
    dataset_id: text('The dataset.'),
    dataset_version_id: text('The frozen version that it learns from.'),
    dataset_sha256: text('Digest of that version.'),
    hyperparameters: hyperparameterValues,
    evaluation: evaluationSchema,
    deploy: orNull(
      Type.Object({
        alias: text('Its name.'),
        activate: Type.Boolean({ description: 'It is activated, too.' }),
      }),
      'Alias for the result.',
    ),
    state: Type.Enum([...jobStates], { description: 'Where it is.' }),
    phase: orNull(Type.String(), 'What is being done.'),
    queue_position: orNull(Type.Integer(), '1: the next one.'),
    progress: Type.Object(
      {
        step: count('Steps done.'),
        total_steps: orNull(Type.Integer(), 'Steps in all.'),
        epoch: orNull(Type.Number(), 'How often the examples were seen.'),
        percent: orNull(Type.Number(), 'Part of the steps.'),
        eta_ms: orNull(Type.Number(), 'Time left.'),
        loss: orNull(Type.Number(), 'Loss of the last step.'),
        eval_loss: orNull(Type.Number(), 'Loss on held-out examples.'),
        tokens_seen: count('Tokens learned from.'),
      },
      { description: 'How far it is.' },
    ),
    attempt: Type.Integer({ description: 'Number of the present attempt.' }),
    attempts_total: Type.Integer({ description: 'Attempts so far.' }),
    cancel_requested: Type.Boolean({ description: 'It is to be canceled.' }),
    error: orNull(jobErrorSchema, 'Why it failed.'),
    result: orNull(resultSchema, 'What came of it.'),
    deployed_as: Type.Array(Type.String(), { description: 'Aliases that stand for it.' }),
    rate: Type.Object(
      {
        credits_per_gpu_minute: creditsText('Credits for a minute of active time.'),
        price_version: text('The price list that it is from.'),
      },
      { description: 'Frozen when the job was made.' },
    ),
    active_ms: count('Active time of all attempts, ms.'),
    billed_ms: count('Of it, what was charged for, ms.'),
    credits: creditsText('What was charged.'),
    can_retry: Type.Boolean({ description: 'Another attempt can be made.' }),
    retry_blocked_reason: orNull(Type.String(), 'Why not.'),
    created_by: Type.Object(
      {
        kind: text('`account` or `api_key`.'),
        id: orNull(Type.String(), 'Its id.'),
        label: text('Its name.'),
      },
      { description: 'Who asked for it.' },
    ),
    created_at: timestamp('When it was made.'),
    started_at: timeOrNull('When training began.'),
    finished_at: timeOrNull('When it was over.'),
  },
  { $id: 'TrainingJob', description: 'A training job.' },
);
