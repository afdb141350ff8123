import Type, { type TSchema } from 'typebox';
import { creditsText, timestamp } from '#http';
import { count, orNull, resumeFields, text } from './fields.ts';
import { evaluationSchema, hyperparameterValues } from './jobs.schema.ts';

const retryFrom = Type.Enum(['checkpoint', 'start'], {
  description: 'From the newest checkpoint, or from the beginning.',
});
export const retryBody = Type.Object({ from: retryFrom });
export const retryQuery = Type.Object({ from: Type.Optional(retryFrom) });

const figures = <Value extends TSchema>(value: (text: string) => Value, description: string) =>
  Type.Object(
    {
      low: value('If all goes well.'),
      expected: value('Most likely.'),
      high: value('On a bad day.'),
    },
    { description },
  );

const jobEstimateSchema = Type.Object(
  {
    active_ms: figures((text) => Type.Integer({ description: text }), 'Active time.'),
    credits: figures(creditsText, 'What it costs; `high` is held.'),
    basis: Type.Enum(['measured_step_time', 'catalog_profile'], { description: 'How it is known.' }),
  },
  { description: 'What it takes.' },
);

export const dryRunSchema = Type.Object(
  {
    job: Type.Object(
      {
        name: text('A name for people.'),
        kind: Type.Enum(['text', 'embedding'], { description: 'Kind of its project.' }),
        base_model: text('The base model.'),
        base_revision: text('Digest of its file.'),
        dataset_id: text('The dataset.'),
        dataset_version_id: orNull(Type.String(), 'Null: it would be frozen now.'),
        hyperparameters: hyperparameterValues,
        evaluation: evaluationSchema,
      },
      { description: 'The job as it would be.' },
    ),
    estimate: jobEstimateSchema,
    warnings: Type.Array(Type.Object({ code: text('What is odd.'), message: text('The same in words.') }), {
      description: 'What to think about first.',
    }),
  },
  { description: 'What the job would be and cost.' },
);

export const retryEstimateSchema = Type.Object(
  {
    can_retry: Type.Boolean({ description: 'Another attempt can be made.' }),
    blocked_reason: orNull(
      Type.Enum([
        'not_finished',
        'succeeded',
        'frozen_dataset_missing',
        'base_model_unavailable',
        'insufficient_credits',
      ]),
      'Why not.',
    ),
    from: retryFrom,
    checkpoint: orNull(
      Type.Object({
        ...resumeFields,
        saved_at: timestamp('When it was written.'),
      }),
      'Where it would go on; null: from the beginning.',
    ),
    remaining_steps: count('Steps that are left.'),
    active_ms: figures((text) => Type.Integer({ description: text }), 'Active time.'),
    credits: figures(creditsText, 'What it costs.'),
    basis: Type.Enum(['measured_step_time', 'catalog_profile'], { description: 'How it is known.' }),
    available_credits: creditsText('What the account has.'),
  },
  { description: 'What another attempt would take.' },
);
