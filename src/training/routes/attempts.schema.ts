import Type, { type TSchema } from 'typebox';
import { creditsText, timestamp } from '#http';
import { jobStates } from '../jobs/lifecycle.ts';
import {
  count,
  evaluationSchema,
  hyperparameterValues,
  jobErrorSchema,
  orNull,
  resumeFields,
  text,
  timeOrNull,
} from './jobs.schema.ts';

export const attemptSchema = Type.Object(
  {
    number: Type.Integer({ description: '1 for the first.' }),
    state: Type.Enum([...jobStates], { description: 'Where it is, or how it ended.' }),
    resumed_from: orNull(Type.Object(resumeFields), 'Checkpoint that it began with.'),
    started_at: timeOrNull('When training began.'),
    finished_at: timeOrNull('When it was over.'),
    active_ms: count('Active time, ms.'),
    billed_ms: count('Of it, what was charged for, ms.'),
    credits: creditsText('What was charged.'),
    steps: count('Steps done.'),
    error: orNull(jobErrorSchema, 'Why it failed.'),
    checkpoints: Type.Array(
      Type.Object({
        step: count('The step after which it was written.'),
        loss: orNull(Type.Number(), 'Loss of that step.'),
        eval_loss: orNull(Type.Number(), 'Loss on held-out examples.'),
        size_bytes: count('Its size.'),
        created_at: timestamp('When it was written.'),
      }),
      { description: 'Places to go on from.' },
    ),
  },
  { $id: 'TrainingAttempt', description: 'One try at a job.' },
);

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
