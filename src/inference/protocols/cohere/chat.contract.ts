import Type from 'typebox';
import type { Contract } from '#http';
import { textCallFaults } from '../shared/call.contract.ts';
import { type CohereAnswer, eventsOfAnswer } from './chat-answer.ts';
import { cohereChatSchema } from './chat-request.contract.ts';

const count = (description: string) => Type.Integer({ description, minimum: 0 });
const tokens = Type.Object(
  {
    input_tokens: count('Tokens of the prompt.'),
    output_tokens: count('Tokens that the model generated, thoughts included.'),
  },
  { description: 'Token counts.' },
);
const usage = Type.Object(
  { billed_units: tokens, tokens, cached_tokens: count('Tokens of the prompt that the model still knew.') },
  { description: 'Token counts.' },
);
const finishReason = Type.Enum(['COMPLETE', 'STOP_SEQUENCE', 'MAX_TOKENS', 'TOOL_CALL'], {
  description: 'Why the answer ended.',
});

const content = Type.Union(
  [
    Type.Object({
      type: Type.Literal('text', { description: 'Text.' }),
      text: Type.String({ description: 'The text.' }),
    }),
    Type.Object({
      type: Type.Literal('thinking', { description: 'Thoughts.' }),
      thinking: Type.String({ description: 'What the model thought.' }),
    }),
  ],
  { description: 'A part of the answer.' },
);

const toolCall = Type.Object({
  id: Type.String({ description: 'Id of the call.' }),
  type: Type.Literal('function', { description: 'Kind of tool.' }),
  function: Type.Object(
    {
      name: Type.String({ description: 'Name of the tool.' }),
      arguments: Type.String({ description: 'The arguments, as JSON text.' }),
    },
    { description: 'What is called.' },
  ),
});

const answerSchema = Type.Object(
  {
    id: Type.String({ description: 'Id of the answer.' }),
    message: Type.Object(
      {
        role: Type.Literal('assistant', { description: 'The model.' }),
        content: Type.Optional(
          Type.Array(content, { description: 'Parts, in the order in which the model wrote them.' }),
        ),
        tool_calls: Type.Optional(Type.Array(toolCall, { description: 'Calls of tools.' })),
      },
      { description: 'The answer.' },
    ),
    finish_reason: finishReason,
    usage,
  },
  { $id: 'CohereAnswer' },
);

const eventSchema = Type.Object(
  {
    type: Type.Enum(
      [
        'message-start',
        'content-start',
        'content-delta',
        'content-end',
        'tool-call-start',
        'tool-call-delta',
        'tool-call-end',
        'message-end',
        'message-error',
      ],
      { description: 'Kind of event.' },
    ),
    id: Type.Optional(Type.String({ description: 'Id of the answer.' })),
    index: Type.Optional(count('Which part or call it is.')),
    delta: Type.Optional(Type.Unknown({ description: 'What is new.' })),
    error: Type.Optional(Type.Unknown({ description: 'What went wrong.' })),
  },
  { $id: 'CohereEvent' },
);

const counted = { input_tokens: 21, output_tokens: 9 };
const example: CohereAnswer = {
  id: 'chat_8Kq2Zr6TnVb3YwLx9Cd5Fg7H',
  message: { role: 'assistant', content: [{ type: 'text', text: 'The capital of France is Paris.' }] },
  finish_reason: 'COMPLETE',
  usage: { billed_units: counted, tokens: counted, cached_tokens: 12 },
};

export const cohereChatContract: Contract = {
  tag: 'inference',
  summary: 'Create a chat answer for clients of Cohere',
  description:
    "Answers a conversation, as Cohere's clients for version 2 ask for it: set their base URL to `/api/projects/{owner}/{project}/cohere`. With `stream` the answer comes as server-sent events, from `message-start` to `message-end`. Fields that are not listed are ignored. No citations are made.",
  body: cohereChatSchema,
  bodyExample: {
    model: 'chat',
    messages: [{ role: 'user', content: 'What is the capital of France?' }],
    max_tokens: 64,
  },
  answers: {
    200: {
      description: 'The answer; with `stream`, as events.',
      schema: answerSchema,
      example,
      also: [{ type: 'text/event-stream', event: eventSchema, saysItsEnd: true, example: eventsOfAnswer(example) }],
    },
  },
  faults: textCallFaults,
  idempotent: true,
};
