import Type from 'typebox';
import { creditsText, nullable, pageQuery, timestamp } from '#http';
import { modelKinds } from './model-kinds.ts';

export const hostedStates = ['inactive', 'warming', 'active', 'failed'] as const;
const visibilities = ['private', 'shared', 'public'] as const;

const stateText =
  '`inactive`: refuses calls. `warming`: is loaded and tried once; calls get 503 `model_warming`. `active`: serves. `failed`: the load check failed, `error` says why. A base model is `active` when it is installed, otherwise `inactive`.';

export const hostedQuery = Type.Object({
  ...pageQuery,
  source: Type.Optional(
    Type.Enum(['alias', 'base'], { description: 'Only aliases of the project, or only base models.' }),
  ),
  state: Type.Optional(Type.Enum([...hostedStates], { description: 'Only entries in this state.' })),
  q: Type.Optional(
    Type.String({
      description: 'Only entries with this text in their alias or display name; upper and lower case are the same.',
      maxLength: 200,
    }),
  ),
});

const displayName = Type.String({
  description: 'Display name, on one line.',
  minLength: 1,
  maxLength: 80,
});

const visibility = (options = {}) =>
  Type.Enum([...visibilities], {
    description:
      '`private`: the owner may call it. `shared`: also the accounts that it is shared with. `public`: whoever sees the project. Others pay for their own calls, at the frozen rate.',
    type: 'string',
    ...options,
  });

const target = Type.Object(
  {
    type: Type.Enum(['base_model', 'training_job'], {
      description: 'What kind of thing it is.',
      type: 'string',
    }),
    id: Type.String({
      description: 'Id of a base model of the catalogue, or of a training job that has succeeded.',
      minLength: 1,
      maxLength: 128,
    }),
  },
  {
    description:
      'What the alias stands for, of the same kind as the project; a reranker is for embedding projects. Never another alias.',
  },
);

export const createHostedBody = Type.Object({
  alias: Type.String({
    description:
      'The name by which calls say `model`, such as `chat`, `gpt-5.1` or `org/model:tag`: 1 to 63 lower-case letters, digits, `.`, `_`, `-`, `/` and `:`, with a letter or digit first and after each `/` and `:`. Unique in the project, and not the id of a base model. It never changes.',
  }),
  target,
  display_name: Type.Optional(displayName),
  visibility: Type.Optional(visibility({ default: 'private' })),
  activate: Type.Optional(Type.Boolean({ description: 'Activate it at once.', default: false })),
});

export const updateHostedBody = Type.Object({
  display_name: Type.Optional(displayName),
  visibility: Type.Optional(visibility()),
  target: Type.Optional(target),
});

export const rollbackBody = Type.Object({
  revision: Type.Integer({
    description: 'The earlier revision to go back to.',
    minimum: 1,
    maximum: 2_147_483_647,
  }),
});

const count = (description: string) => Type.Integer({ description, minimum: 0 });
const limit = (description: string) => nullable(Type.Integer({ minimum: 1 }), description);

export const frozenRate = Type.Object(
  {
    credits_per_gpu_minute: creditsText('Credits for a minute of active time.'),
    frozen_at: nullable(timestamp('Since when.'), 'Since when it is frozen; null: it follows the catalogue.'),
    price_version: Type.String({ description: 'The price list that it is from.' }),
  },
  {
    $id: 'FrozenRate',
    description:
      'What every caller pays. Frozen when the model is activated or its target changes; later changes of the catalogue do not touch it.',
  },
);

export const ownerSchema = Type.Object(
  {
    id: Type.String({ description: 'Id of the account.' }),
    slug: Type.String({ description: 'Slug of the account.' }),
  },
  { $id: 'AccountName', description: 'The account that owns the project.' },
);

export const hostedSchema = Type.Object(
  {
    id: Type.String({ description: 'Id of the alias; of a base model, its name in calls.' }),
    alias: Type.String({ description: 'What calls say as `model`.' }),
    display_name: Type.String({ description: 'Display name.' }),
    source: Type.Enum(['alias', 'base'], {
      description:
        '`alias`: of this project. `base`: a base model, which every project has and only its owner may call.',
    }),
    kind: Type.Enum([...modelKinds], { description: 'Kind of model.' }),
    target,
    base_model: Type.String({ description: 'Id of the base model behind the target.' }),
    revision: nullable(Type.Integer({ minimum: 1 }), 'Counts the targets that the alias has had; null: a base model.'),
    revision_sha256: nullable(
      Type.String(),
      'SHA-256 of the file that the load check of this revision met; null: not checked yet.',
    ),
    enabled: Type.Boolean({ description: 'The owner wants it to serve.' }),
    state: Type.Enum([...hostedStates], { description: stateText }),
    runtime: Type.Object(
      {
        status: Type.Enum(['cold', 'loading', 'ready', 'sleeping', 'failed'], {
          description: 'The base model in the engine that answers this request; a cold one loads with the next call.',
        }),
        eta_ms: nullable(Type.Integer({ minimum: 0 }), 'How long it still loads, ms.'),
        loaded_at: nullable(timestamp('Since when it is loaded.'), 'Since when it is loaded.'),
        runs_on: nullable(
          Type.String({ description: 'CPU, or the GPUs that it is loaded on.' }),
          'Null while it is not loaded, or a remote engine serves it.',
        ),
      },
      { description: 'What the engine has of it at present.' },
    ),
    visibility: visibility(),
    share_count: count('Shares that have not expired.'),
    limits: Type.Object(
      {
        max_context_tokens: limit('Prompt and answer together.'),
        max_input_tokens: limit('One input of an embedding model.'),
        max_inputs: limit('Inputs of one embedding request.'),
        request_token_budget: limit('All inputs of one embedding request.'),
      },
      { description: 'Limits of one call; null where one does not apply.' },
    ),
    dimensions: limit('Vector size; null: a text model.'),
    query_instruction: nullable(Type.String(), 'Put in front of inputs of type `query`.'),
    rate: frozenRate,
    error: nullable(
      Type.Object({
        code: Type.String({ description: 'Why it failed, for programs.' }),
        message: Type.String({ description: 'Why it failed, for people.' }),
      }),
      'Set while it is `failed`.',
    ),
    owner: nullable(ownerSchema, 'The owner of the project; null: a base model.'),
    created_at: timestamp('When it was made.'),
    updated_at: timestamp('When it was last changed.'),
    last_called_at: nullable(timestamp('Exact to a minute.'), 'When it was last called, exact to a minute.'),
  },
  { $id: 'HostedModel', description: 'An alias of the project, or a base model.' },
);

export const revisionSchema = Type.Object(
  {
    revision: Type.Integer({ description: 'Its number, from 1.', minimum: 1 }),
    current: Type.Boolean({ description: 'This is what the alias stands for.' }),
    target,
    base_model: Type.String({ description: 'Id of the base model behind the target.' }),
    revision_sha256: nullable(Type.String(), 'SHA-256 of the file that its load check met.'),
    rate: frozenRate,
    restored_from: nullable(Type.Integer({ minimum: 1 }), 'The earlier revision that a rollback went back to.'),
    created_by: nullable(
      Type.Object({
        kind: Type.Enum(['account', 'api_key', 'system'], { description: 'Kind of actor.' }),
        id: nullable(Type.String(), 'Its id.'),
        label: Type.String({ description: 'Its name at that time.' }),
      }),
      'Who made it; null: the operator.',
    ),
    created_at: timestamp('When it was made.'),
  },
  { $id: 'Revision', description: 'One target that the alias has had.' },
);
