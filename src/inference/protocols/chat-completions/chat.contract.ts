import Type from 'typebox';
import { type Contract, nullable } from '#http';
import { logprobsSchema } from '../openai/logprobs.ts';
import { answeredModel, created, finishReason, usageExample, usageSchema } from '../openai/usage.schema.ts';
import { textCallFaults } from '../shared/call.contract.ts';
import { chatRequestSchema, toolCalls } from './chat-request.contract.ts';

const logprobs = nullable(logprobsSchema, 'Null unless the request has `logprobs`.');
const index = Type.Integer({ description: 'Which of `n` answers it is, from 0.' });
const reasoning = Type.String({ description: 'What the model thought before it answered.' });
const id = Type.String({ description: 'Id of the answer.', pattern: '^chatcmpl-' });

const completionSchema = Type.Object(
  {
    id,
    object: Type.Literal('chat.completion', { description: 'Kind of object.' }),
    created,
    model: answeredModel,
    choices: Type.Array(
      Type.Object({
        index,
        message: Type.Object(
          {
            role: Type.Literal('assistant', { description: 'The model.' }),
            content: nullable(Type.String({ description: 'The answer.' }), 'Null when there are only calls of tools.'),
            refusal: Type.Null({ description: 'Always null.' }),
            reasoning_content: Type.Optional(reasoning),
            tool_calls: Type.Optional(toolCalls),
          },
          { description: 'The answer.' },
        ),
        logprobs,
        finish_reason: finishReason,
      }),
      { description: 'As many as `n`.' },
    ),
    usage: usageSchema,
  },
  { $id: 'ChatCompletion' },
);

const toolCallDelta = Type.Object({
  index: Type.Integer({ description: 'Which call this belongs to.' }),
  id: Type.Optional(Type.String({ description: 'In the first piece of a call only.' })),
  type: Type.Optional(Type.Literal('function', { description: 'In the first piece of a call only.' })),
  function: Type.Object(
    {
      name: Type.Optional(Type.String({ description: 'In the first piece of a call only.' })),
      arguments: Type.String({ description: 'Further arguments, as JSON text.' }),
    },
    { description: 'The function that is called.' },
  ),
});

export const chunkSchema = Type.Object(
  {
    id,
    object: Type.Literal('chat.completion.chunk', { description: 'Kind of object.' }),
    created,
    model: answeredModel,
    choices: Type.Array(
      Type.Object({
        index,
        delta: Type.Object(
          {
            role: Type.Optional(Type.Literal('assistant', { description: 'In the first frame only.' })),
            content: Type.Optional(Type.String({ description: 'Further text.' })),
            reasoning_content: Type.Optional(reasoning),
            tool_calls: Type.Optional(Type.Array(toolCallDelta, { description: 'One piece of one call.' })),
          },
          { description: 'What is new; empty in the frame that finishes.' },
        ),
        logprobs,
        finish_reason: nullable(finishReason, 'Null until the answer is finished.'),
      }),
      { description: 'One, or none in the frame with `usage`.' },
    ),
    usage: Type.Optional(Type.Union([usageSchema, Type.Null()], { description: 'Only with `include_usage`.' })),
  },
  { $id: 'ChatCompletionChunk' },
);

const head = { id: 'chatcmpl-8Kq2Zr6TnVb3YwLx9Cd5Fg7H', created: 1_767_323_045, model: 'chat' };
const frame = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, logprobs: null, finish_reason }] })}\n\n`;

const message = { role: 'assistant', content: 'The capital of France is Paris.', refusal: null };

export const chatContract: Contract = {
  tag: 'inference',
  summary: 'Create a chat completion',
  description: `Answers a conversation. With \`stream\` the answer comes as server-sent events: a frame with the role, frames with text, reasoning or calls of tools, a frame that finishes, one with \`usage\` if it was asked for, and \`data: [DONE]\`.

A failure before the first frame is an ordinary error. After it the last frame is \`{"error": {...}}\` and there is no \`[DONE]\`.

Fields that are not listed are ignored, except those that ask for something that is not supported (such as \`functions\` or \`audio\`): they are refused. Calls are kept as training data only where the owner of the project turned that on.`,
  body: chatRequestSchema,
  bodyExamples: [
    {
      title: 'A question',
      value: { model: 'chat', messages: [{ role: 'user', content: 'What is the capital of France?' }], max_tokens: 64 },
    },
    {
      title: 'A stream with usage',
      value: {
        model: 'chat',
        messages: [{ role: 'user', content: 'What is the capital of France?' }],
        stream: true,
        stream_options: { include_usage: true },
      },
    },
    {
      title: 'A tool that the model may call',
      value: {
        model: 'chat',
        messages: [{ role: 'user', content: 'How is the weather in Paris?' }],
        tools: [
          {
            type: 'function',
            function: {
              name: 'get_weather',
              parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
            },
          },
        ],
      },
    },
  ],
  answers: {
    200: {
      description: 'The answer; with `stream`, as events.',
      schema: completionSchema,
      example: {
        ...head,
        object: 'chat.completion',
        choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
        usage: usageExample,
      },
      also: [
        {
          type: 'text/event-stream',
          event: chunkSchema,
          example: [
            frame({ role: 'assistant', content: '' }),
            frame({ content: 'Paris' }),
            frame({ content: '.' }),
            frame({}, 'stop'),
            'data: [DONE]\n\n',
          ].join(''),
        },
      ],
    },
  },
  faults: textCallFaults,
  idempotent: true,
};
