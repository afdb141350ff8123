import Type from 'typebox';
import { creditsText, timestamp } from '#http';
import { jobStates } from '../jobs/lifecycle.ts';
import { count, orNull, resumeFields, timeOrNull } from './fields.ts';
import { jobErrorSchema } from './jobs.schema.ts';

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
