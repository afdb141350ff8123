import Type from 'typebox';
import { type Contract, creditsText, nullable, pageSchema, timestamp } from '#http';
import { chatDefaults } from './base-model.ts';
import { modelKinds } from './model-kinds.ts';

const defaultsSchema = Type.Object(
  {
    max_tokens: Type.Integer({ description: 'Most tokens of an answer, reasoning included.' }),
    temperature: Type.Number({ description: 'Randomness of the choice of tokens.' }),
    top_p: Type.Number({ description: 'Share of probability that tokens are chosen from.' }),
    reasoning_effort: Type.Null({ description: "Nothing is sent: the model's own default applies." }),
    stream: Type.Boolean({ description: 'Whether the answer is streamed.' }),
  },
  { description: 'What a chat request means where it is silent; the same for every model.' },
);

/** Figures of embedding models and rerankers only. */
const ofEmbedding = (text: string) => nullable(Type.Integer({ description: text }), 'Null for text models.');

const capabilitiesSchema = Type.Object(
  {
    streaming: Type.Boolean({ description: 'Answers can be streamed.' }),
    tools: Type.Boolean({ description: 'The chat template knows tools.' }),
    parallel_tool_calls: Type.Boolean({ description: 'An answer can have several calls.' }),
    reasoning_effort: Type.Array(Type.Enum(['none', 'low', 'high']), {
      description: 'Values that change what the model does; none: it has no reasoning.',
    }),
    embeddings: Type.Boolean({ description: 'It makes vectors.' }),
    vision: Type.Boolean({ description: 'It reads images in messages of users.' }),
    rerank: Type.Boolean({ description: 'It scores documents for a query.' }),
    max_inputs: ofEmbedding('Most inputs of a request; of a reranker, documents.'),
    max_input_tokens: ofEmbedding('Most tokens of an input; of a reranker, of query and document together.'),
    request_token_budget: ofEmbedding('Most tokens of all inputs together.'),
    missing: Type.Object(
      {
        tools: Type.Optional(Type.String({ description: 'Why there are no tools.' })),
        parallel_tool_calls: Type.Optional(Type.String({ description: 'Why an answer has one call only.' })),
        reasoning_effort: Type.Optional(Type.String({ description: 'Why reasoning cannot be made less or more.' })),
      },
      { description: 'Why a capability is missing, as far as the chat template shows it.' },
    ),
  },
  { description: 'What the model understands.' },
);

const trainingSchema = Type.Object(
  {
    supported: Type.Boolean({ description: 'Training jobs may start from it.' }),
    hyperparameters: Type.Object({}, { description: 'Hyperparameters with their defaults and bounds.' }),
    max_seq_lengths: Type.Array(Type.Integer(), { description: 'Sequence lengths to choose from.' }),
  },
  { description: 'How it can be trained.' },
);

const rateSchema = Type.Object(
  {
    credits_per_gpu_minute: creditsText('Credits for a minute of active time.'),
    price_version: Type.String({ description: 'The price list that it is from.' }),
  },
  { description: 'What calls cost.' },
);

const baseModelSchema = Type.Object(
  {
    id: Type.String({ description: 'Use it as `model` in calls inside an own project.' }),
    name: Type.String({ description: 'Name for people.' }),
    kind: Type.Enum([...modelKinds], { description: 'What it is for.' }),
    parameters: Type.Integer({ description: 'Number of weights.' }),
    license: nullable(
      Type.String({ description: 'SPDX id of the license, or its name at the hub.' }),
      'Null when unknown.',
    ),
    max_context_tokens: Type.Integer({
      description:
        'Most tokens of a call: prompt and answer of a text model, one input of an embedding model, query and document of a reranker.',
    }),
    dimensions: nullable(Type.Integer({ description: 'Size of its vectors.' }), 'Null unless it embeds.'),
    query_instruction: nullable(
      Type.String({ description: 'Put in front of inputs of type `query`.' }),
      'Null: nothing is.',
    ),
    inference: Type.Object(
      { defaults: defaultsSchema, capabilities: capabilitiesSchema },
      { description: 'How it is called.' },
    ),
    training: trainingSchema,
    serving: Type.Object(
      {
        available: Type.Boolean({ description: 'Its file is installed, or a remote engine serves it.' }),
        runtime_status: nullable(
          Type.Enum(['cold', 'loading', 'ready', 'failed'], { description: 'What the engine does with it.' }),
          'Null while it is not installed.',
        ),
      },
      { description: 'Whether it can be called now.' },
    ),
    revision: nullable(Type.String({ description: 'SHA-256 of its file.' }), 'Null while it is not installed.'),
    rate: rateSchema,
    created_at: timestamp('When it was listed.'),
  },
  { $id: 'BaseModel' },
);

const example = {
  id: 'fanfold-tiny-chat',
  name: 'Fanfold Tiny Chat',
  kind: 'text',
  parameters: 2_755_776,
  license: 'Apache-2.0',
  max_context_tokens: 4096,
  dimensions: null,
  query_instruction: null,
  inference: {
    defaults: chatDefaults,
    capabilities: {
      streaming: true,
      tools: true,
      parallel_tool_calls: true,
      reasoning_effort: ['none', 'low', 'high'],
      embeddings: false,
      rerank: false,
      vision: false,
      max_inputs: null,
      max_input_tokens: null,
      request_token_budget: null,
      missing: {},
    },
  },
  training: { supported: false, hyperparameters: {}, max_seq_lengths: [] },
  serving: { available: true, runtime_status: 'ready' },
  revision: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  rate: { credits_per_gpu_minute: '0.030000', price_version: '2026-11-20' },
  created_at: '2026-11-20T00:00:00.000Z',
};

export const listContract: Contract = {
  tag: 'base_models',
  summary: 'List the base models',
  description:
    'The catalogue with the models that were added to this installation, newest first. A base model can be called in your own projects only.',
  answers: {
    200: {
      description: 'A page of base models.',
      schema: pageSchema(baseModelSchema),
      example: { data: [example], next_cursor: null, total_count: 1 },
    },
  },
};
