import Type from 'typebox';
import { nullable, pageQuery, timestamp } from '#http';
import { logLevels } from '../logs/logs.store.ts';

const attempt = Type.Optional(Type.Integer({ description: 'Number of an attempt.', minimum: 1, maximum: 1_000_000 }));

export const logsQuery = Type.Object({
  ...pageQuery,
  attempt,
  level: Type.Optional(Type.Enum([...logLevels], { description: 'This level and above.' })),
  after_seq: Type.Optional(
    Type.Integer({
      description: 'Only lines behind this number.',
      minimum: 0,
      maximum: 1_000_000_000_000,
    }),
  ),
});

export const metricsQuery = Type.Object({
  attempt,
  max_points: Type.Optional(
    Type.Integer({
      description: 'Points of a series at most; default 500.',
      minimum: 2,
      maximum: 5_000,
    }),
  ),
});

export const frozenQuery = Type.Object({
  split: Type.Optional(Type.Enum(['train', 'test'], { description: 'Only this split.' })),
});

export const attemptQuery = Type.Object({ attempt });

export const logSchema = Type.Object(
  {
    seq: Type.Integer({ description: 'Number in the log of the job, without gaps.' }),
    attempt: Type.Integer({ description: 'The attempt that it is about.' }),
    at: timestamp('When it was written.'),
    level: Type.Enum([...logLevels], { description: 'How much it matters.' }),
    source: Type.Enum(['system', 'trainer'], { description: 'Who says it.' }),
    message: Type.String({ description: 'What happened.' }),
    data: nullable(Type.Unknown(), 'The same as fields.'),
  },
  { $id: 'TrainingLogLine', description: 'A line of the log.' },
);

export const metricsSchema = Type.Object({
  attempt: Type.Integer({ description: 'The attempt.' }),
  series: Type.Array(
    Type.Object({
      name: Type.String({ description: 'What was measured.' }),
      points: Type.Array(
        Type.Unsafe<[number, number]>({
          type: 'array',
          items: { type: 'number' },
          minItems: 2,
          maxItems: 2,
        }),
        { description: 'Step and value.' },
      ),
    }),
    { description: 'One for each thing that was measured.' },
  ),
});

export const frozenSchema = Type.Object({
  dataset_id: Type.String({ description: 'The dataset.' }),
  version_id: Type.String({ description: 'The frozen version.' }),
  sha256: Type.String({ description: 'Digest of its rows.' }),
  example_count: Type.Integer({ description: 'Examples in it.' }),
  split_counts: Type.Object(
    {
      train: Type.Integer({ description: 'Examples to learn from.' }),
      test: Type.Integer({ description: 'For testing.' }),
    },
    { description: 'By split, as the version has it; what a `test_ratio` holds out beside is in `tokens.held_out`.' },
  ),
  tokens: nullable(
    Type.Object({
      samples: Type.Integer({ description: 'Sequences or pairs that are learned from.' }),
      held_out: Type.Integer({ description: 'The same, held out.' }),
      trained: Type.Integer({ description: 'Tokens that are learned.' }),
      dropped: Type.Integer({ description: 'Examples that were too long.' }),
      not_learnable: Type.Integer({
        description:
          'Examples that were left out, whole or in part, because the base model cannot learn them; the log names the first ones.',
      }),
    }),
    'What was made of it; null: not yet.',
  ),
  snapshot_sha256: nullable(Type.String(), 'Digest of those tokens.'),
});

export const manifestSchema = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Where the adapter comes from: base, data, settings, digests.',
});
