import Type from 'typebox';
import type { Contract } from '#http';
import { textCallFaults } from '../shared/call.contract.ts';
import { messageAnswerSchema, messageEventSchema } from './message.schema.ts';
import { eventsOfMessage } from './message-stream.ts';
import { countRequestSchema, messagesRequestSchema } from './request.schema.ts';

const question = { model: 'chat', messages: [{ role: 'user', content: 'What is the capital of France?' }] };

const example = {
  id: 'msg_8Kq2Zr6TnVb3YwLx9Cd5Fg7H',
  type: 'message' as const,
  role: 'assistant' as const,
  model: 'chat',
  content: [{ type: 'text' as const, text: 'The capital of France is Paris.' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: {
    input_tokens: 9,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 12,
    output_tokens: 9,
    output_tokens_details: { thinking_tokens: 0 },
  },
};

export const messagesContract: Contract = {
  tag: 'inference',
  summary: 'Create a message',
  description: `Answers a conversation, as Anthropic's clients ask for it: set their base URL to \`/api/projects/{owner}/{project}/anthropic\`. The key may be sent as \`x-api-key\` or as a bearer token. With \`stream\` the answer comes as server-sent events, from \`message_start\` to \`message_stop\`; a stream that fails ends with an event \`error\`.

Fields that are not listed are ignored, as are \`anthropic-beta\` and \`?beta=true\`. Tools that run on a server are left out. Images are for models with vision, in base64; files are refused. The last message cannot be the beginning of the answer.

What takes long to load or finds no capacity is answered with 529 and \`retry-after\`.`,
  body: messagesRequestSchema,
  bodyExamples: [
    { title: 'A question', value: { ...question, max_tokens: 64 } },
    {
      title: 'Thoughts, as a stream',
      value: { ...question, max_tokens: 2048, stream: true, thinking: { type: 'enabled', budget_tokens: 1024 } },
    },
    {
      title: 'A tool that the model may call',
      value: {
        model: 'chat',
        max_tokens: 256,
        messages: [{ role: 'user', content: 'How is the weather in Paris?' }],
        tools: [
          {
            name: 'get_weather',
            input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
          },
        ],
      },
    },
  ],
  answers: {
    200: {
      description: 'The answer; with `stream`, as events.',
      schema: messageAnswerSchema,
      example,
      also: [
        { type: 'text/event-stream', event: messageEventSchema, saysItsEnd: true, example: eventsOfMessage(example) },
      ],
    },
  },
  faults: textCallFaults,
  idempotent: true,
};

export const countContract: Contract = {
  tag: 'inference',
  summary: 'Count the tokens of a message',
  description:
    'The tokens of the prompt, as the call would be charged for them: `input_tokens` and `cache_read_input_tokens` of its answer together. Free, and limited in number.',
  body: countRequestSchema,
  bodyExample: question,
  answers: {
    200: {
      description: 'The count.',
      schema: Type.Object({
        input_tokens: Type.Integer({ description: 'Tokens of the prompt.', minimum: 0 }),
      }),
      example: { input_tokens: 21 },
    },
  },
  faults: [
    'model_not_found',
    'model_not_installed',
    'owner_required',
    'rate_limited',
    'model_warming',
    'capacity_unavailable',
  ],
};
