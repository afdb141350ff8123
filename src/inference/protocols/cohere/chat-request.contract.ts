import Type, { type Static } from 'typebox';
import { expecting } from '#http';
import { chatDefaults } from '#models';
import { calledModel, notSupported, optional } from '../shared/call.contract.ts';

const text = Type.String({ description: 'The text.' });
const textPart = Type.Object({ type: Type.Literal('text', { description: 'Text.' }), text });

const content = Type.Union([Type.String(), Type.Array(textPart, { minItems: 1 })], {
  description: 'Text, or parts of text.',
});

const userContent = Type.Union(
  [
    Type.String(),
    Type.Array(
      Type.Union([
        textPart,
        Type.Object({
          type: Type.Literal('image_url', { description: 'An image, for models with vision.' }),
          image_url: Type.Object(
            {
              url: Type.String({
                description:
                  'The image as a `data:` URL in base64: PNG, JPEG, WebP or GIF. Nothing is fetched: links are refused.',
              }),
              detail: optional(
                Type.Enum(['auto', 'low', 'high'], {
                  description: 'How closely it is looked at, where the engine knows that.',
                }),
              ),
            },
            { description: 'The image.' },
          ),
        }),
      ]),
      { minItems: 1 },
    ),
  ],
  { description: 'Text, or parts: texts, and at most 8 images.' },
);

const toolCall = Type.Object({
  id: Type.String({ description: 'Id of the call.', minLength: 1 }),
  type: Type.Literal('function', { description: 'Kind of tool.' }),
  function: Type.Object(
    {
      name: Type.String({ description: 'Name of the tool.', minLength: 1 }),
      arguments: Type.String({ description: 'The arguments, as JSON text.' }),
    },
    { description: 'What is called.' },
  ),
});

const assistantPart = Type.Union([
  textPart,
  Type.Object({
    type: Type.Literal('thinking', { description: 'Thoughts.' }),
    thinking: Type.String({ description: 'What the model thought.' }),
  }),
]);

const toolResult = Type.Union(
  [
    Type.String(),
    Type.Array(
      Type.Union([
        textPart,
        Type.Object({
          type: Type.Literal('document', { description: 'A document.' }),
          document: Type.Object(
            {
              data: Type.Union([Type.String(), Type.Record(Type.String(), Type.Unknown())], {
                description: 'Text, or fields.',
              }),
            },
            { description: 'The document.' },
          ),
        }),
      ]),
      { minItems: 1 },
    ),
  ],
  { description: 'The result: text, or parts that are texts and documents.' },
);

const messageSchema = Type.Union(
  [
    Type.Object({ role: Type.Literal('system', { description: 'Instructions.' }), content }),
    Type.Object({ role: Type.Literal('user', { description: 'The user.' }), content: userContent }),
    Type.Object({
      role: Type.Literal('assistant', { description: 'The model.' }),
      content: optional(
        Type.Union([Type.String(), Type.Array(assistantPart)], { description: 'Text, or parts of text and thoughts.' }),
      ),
      tool_plan: optional(Type.String({ description: 'What the model thought before it called tools.' })),
      tool_calls: optional(Type.Array(toolCall, { description: 'Calls of tools.' })),
    }),
    Type.Object({
      role: Type.Literal('tool', { description: 'The result of a call.' }),
      tool_call_id: Type.String({ description: 'Id of the call.', minLength: 1 }),
      content: toolResult,
    }),
  ],
  { description: 'A message.' },
);

const jsonSchema = Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of the answer.' });

const tool = Type.Object({
  type: Type.Literal('function', { description: 'Kind of tool.' }),
  function: Type.Object(
    {
      name: Type.String({ description: 'A name that no other tool has.', minLength: 1, maxLength: 128 }),
      description: optional(Type.String({ description: 'What it does, for the model.' })),
      parameters: optional(
        Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of its arguments.' }),
      ),
    },
    { description: 'The function.' },
  ),
});

const probability = { minimum: 0, maximum: 1 };

/** The body of P/cohere/v2/chat. */
export const cohereChatSchema = Type.Object(
  {
    model: calledModel,
    messages: Type.Array(messageSchema, { description: 'The conversation.', minItems: 1 }),
    stream: optional(Type.Boolean({ description: 'The answer comes as server-sent events.', default: false })),
    tools: optional(Type.Array(tool, { description: 'Tools that the model may call.', maxItems: 512 })),
    tool_choice: optional(
      Type.Enum(['REQUIRED', 'NONE'], {
        description: 'At least one tool is called, or none; left out: as the model likes.',
      }),
    ),
    strict_tools: optional(
      Type.Boolean({ description: 'Arguments fit the schemas also where the model chooses to call.' }),
    ),
    response_format: optional(
      Type.Object(
        {
          type: Type.Enum(['text', 'json_object'], { description: 'Text, or JSON.' }),
          json_schema: optional(jsonSchema),
          schema: optional(jsonSchema),
        },
        { description: 'Form of the answer.' },
      ),
    ),
    thinking: optional(
      Type.Object(
        {
          type: Type.Enum(['enabled', 'disabled'], { description: 'Whether the model thinks before it answers.' }),
          token_budget: optional(Type.Integer({ description: 'Most tokens of thinking.', minimum: 1 })),
        },
        { description: 'Left out: the model does not think.' },
      ),
    ),
    max_tokens: optional(
      Type.Integer({
        description: 'Most tokens of the answer, thoughts included.',
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        default: chatDefaults.max_tokens,
      }),
    ),
    stop_sequences: optional(
      Type.Array(Type.String({ minLength: 1 }), { description: 'Texts that end the answer.', maxItems: 8 }),
    ),
    temperature: optional(
      Type.Number({
        description: 'Randomness of the choice of tokens; 0 always takes the likeliest.',
        minimum: 0,
        maximum: 2,
        default: chatDefaults.temperature,
      }),
    ),
    p: optional(
      Type.Number({
        description: 'Share of probability that tokens are chosen from.',
        ...probability,
        default: chatDefaults.top_p,
      }),
    ),
    k: optional(
      Type.Integer({
        description: 'Tokens are chosen from so many of the likeliest; 0: from all.',
        minimum: 0,
        default: 0,
      }),
    ),
    seed: optional(
      Type.Integer({ description: 'Makes the choice of tokens repeatable, as far as possible.', minimum: 0 }),
    ),
    frequency_penalty: optional(
      Type.Number({
        description: 'Lowers the chance of tokens by how often they occurred.',
        ...probability,
        default: 0,
      }),
    ),
    presence_penalty: optional(
      Type.Number({ description: 'Lowers the chance of tokens that occurred.', ...probability, default: 0 }),
    ),
    documents: optional(
      Type.Array(Type.Unknown(), {
        description: 'Not supported.',
        ...expecting('not supported; put documents into a message'),
        maxItems: 0,
      }),
    ),
    logprobs: notSupported('not supported', false),
  },
  { $id: 'CohereChatRequest' },
);

export type CohereChatBody = Static<typeof cohereChatSchema>;
export type CohereMessage = CohereChatBody['messages'][number];
