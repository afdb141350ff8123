import Type, { type TSchema } from 'typebox';
import { creditsText, nullable, timestamp } from '#http';
import { windowNames } from './window.ts';

export const dashboardQuery = Type.Object({
  window: Type.Optional(
    Type.Enum([...windowNames], {
      description: 'How far back: the hour that runs and the 23 before it, or today (UTC) and the 6 or 29 days before.',
      default: '7d',
    }),
  ),
});

const count = (description: string) => Type.Integer({ description, minimum: 0 });
const text = (description: string) => Type.String({ description });

const place = Type.Object(
  {
    owner: text("Slug of the project's owner."),
    slug: text('Slug of the project.'),
  },
  { description: 'The project.' },
);

const creditsSchema = Type.Object(
  {
    available: creditsText('What can be spent.'),
    reserved: creditsText('Held for calls that run.'),
    spent_window: creditsText('Spent in the window.'),
    projected_days_left: nullable(
      Type.Integer({ minimum: 0 }),
      'Whole days that the available credits last at the pace of the window; null: nothing was spent.',
    ),
  },
  { description: 'Credits of the account.' },
);

const usageSchema = Type.Object(
  {
    requests: count('Calls that ended, those that failed included.'),
    errors: count('Calls that failed; callers who left do not count. At most 100,000 of one point.'),
    active_ms: count('Active time that was charged, ms.'),
    credits: creditsText('Spent in the window.'),
    p50_ms: count('Median active time of a call, over the latest 2,000 ledger rows at most.'),
    p95_ms: count('The same: 95 of 100 calls take less.'),
    series: Type.Array(
      Type.Object({
        at: timestamp('Start of the hour or day, UTC.'),
        requests: count('Calls that ended.'),
        errors: count('Calls that failed.'),
        credits: creditsText('Credits spent.'),
        prompt_tokens: count('Tokens of the prompts of calls that arrived then.'),
        completion_tokens: count('Tokens of their answers.'),
        total_p50_ms: nullable(
          Type.Integer({ minimum: 0 }),
          'Median time of a call from its arrival to its end, over the latest 300 calls of the point at most; null without calls.',
        ),
        total_p95_ms: nullable(Type.Integer({ minimum: 0 }), 'The same: 95 of 100 calls take less.'),
      }),
      { description: 'One point an hour (24h) or a day, the earliest first.' },
    ),
  },
  { description: 'Calls, training and indexes in the window.' },
);

const projectsSchema = Type.Object(
  {
    total: count('Own projects that are not archived.'),
    recent: Type.Array(
      Type.Object({
        id: text('Id of the project.'),
        owner: text('Slug of its owner.'),
        slug: text('Its slug.'),
        name: text('Display name.'),
        kind: Type.Enum(['text', 'embedding'], { description: 'What its models do.' }),
        visibility: Type.Enum(['private', 'public'], { description: 'Who may see it.' }),
        created_at: timestamp('When it was made.'),
        updated_at: timestamp('When it was last changed.'),
      }),
      { description: 'The newest five.' },
    ),
  },
  { description: 'Projects of the account.' },
);

const trainingSchema = Type.Object(
  {
    active: Type.Array(
      Type.Object({
        id: text('Id of the job.'),
        name: text('Its name.'),
        project: place,
        state: text('Its state.'),
        percent: nullable(Type.Number({ minimum: 0, maximum: 100 }), 'How far it is.'),
      }),
      { description: 'Jobs that run.' },
    ),
    queued: count('Jobs that wait.'),
    failed_window: count('Jobs that failed in the window.'),
    last_succeeded: nullable(
      Type.Object({
        id: text('Id of the job.'),
        name: text('Its name.'),
        project: place,
        finished_at: timestamp('When it finished.'),
      }),
      'The last job that succeeded.',
    ),
  },
  { description: 'Training jobs.' },
);

const modelsSchema = Type.Object(
  {
    active: count('Hosted models that can be called.'),
    warming: count('Those being checked.'),
    failed: count('Those that could not be loaded.'),
    top: Type.Array(
      Type.Object({
        model: text('The name that was called.'),
        requests: count('Calls that were charged.'),
        credits: creditsText('Credits spent.'),
      }),
      { description: 'The five that cost most in the window.' },
    ),
  },
  { description: 'Hosted models.' },
);

const alertSchema = Type.Object({
  code: Type.Enum(['low_credits', 'job_failed', 'model_failed', 'import_waiting', 'key_unused'], {
    description: 'What it is about.',
  }),
  severity: Type.Enum(['info', 'warning', 'error'], { description: 'How much attention it deserves.' }),
  message: text('One English sentence.'),
  href: text('Page of the web app where it is mended.'),
});

const object = <Fields extends Record<string, TSchema>>(fields: Fields, description: string) =>
  Type.Object(fields, { description });

export const dashboardSchema = Type.Object(
  {
    as_of: timestamp('The time that it is about.'),
    window: Type.Enum([...windowNames], { description: 'The window that was asked for.' }),
    credits: creditsSchema,
    usage: usageSchema,
    projects: projectsSchema,
    training: trainingSchema,
    models: modelsSchema,
    feedback: object(
      {
        pending: count('Retrieval events that wait.'),
        needs_judgment: count('Those that a person must decide on.'),
        promoted_window: count('Examples made of events in the window.'),
      },
      'Search feedback.',
    ),
    imports: object(
      {
        awaiting_confirmation: count('Imports that wait for a confirmation.'),
        failed_window: count('Imports that failed in the window.'),
      },
      'Imports.',
    ),
    keys: object(
      {
        active: count('Keys that authenticate.'),
        unused_30d: count('Active keys that were not used for 30 days.'),
      },
      'API keys.',
    ),
    alerts: Type.Array(alertSchema, { description: 'What the owner should look at, the worst first.' }),
    getting_started: object(
      {
        project: Type.Boolean({ description: 'There is a project.' }),
        key: Type.Boolean({ description: 'There is a key.' }),
        first_call: Type.Boolean({ description: 'A model was called.' }),
        dataset: Type.Boolean({ description: 'There is a dataset.' }),
        training: Type.Boolean({ description: 'There is a training job.' }),
      },
      'First steps that are done.',
    ),
  },
  { $id: 'Dashboard' },
);
