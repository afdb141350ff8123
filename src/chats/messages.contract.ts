import { type Contract, pageSchema } from '#http';
import { chatChunkSchema, textCallFaults, usageExample } from '#inference';
import { answerSchema, messageSchema } from './messages.schema.ts';

const tag = 'chats';

const request = {
  model: 'chat',
  messages: [{ role: 'user', content: 'What is 2 + 3?' }],
  max_tokens: 1024,
  temperature: 1,
  top_p: 1,
  stream: true,
  stream_options: { include_usage: true },
};

const nothing = {
  reasoning_content: null,
  tool_calls: null,
  tool_call_id: null,
  images: [],
  rating: null,
  error: null,
};

const userMessageExample = {
  id: 'msg_01KAXR5A2C4E6G8J0M2P4R6T8V',
  seq: 1,
  role: 'user',
  content: 'What is 2 + 3?',
  ...nothing,
  state: 'complete',
  attempt: 1,
  finish_reason: null,
  usage: null,
  request: null,
  request_id: null,
  model_revision: null,
  active_ms: 0,
  credits: '0.000000',
  created_at: '2026-01-02T03:04:04.000Z',
  finished_at: '2026-01-02T03:04:04.000Z',
};

const messageExample = {
  id: 'msg_01KAXR5B3D5F7H9K1N3Q5S7U9W',
  seq: 2,
  role: 'assistant',
  content: '5',
  ...nothing,
  state: 'complete',
  attempt: 1,
  finish_reason: 'stop',
  usage: usageExample,
  request,
  request_id: 'req_01KAXR5B0A2C4E6G8J0M2P4R6T',
  model_revision: 3,
  active_ms: 41,
  credits: '0.000050',
  created_at: '2026-01-02T03:04:04.000Z',
  finished_at: '2026-01-02T03:04:05.678Z',
};

const example = { user_message: userMessageExample, message: messageExample };

const frame = (delta: object, finish_reason: string | null = null) => {
  const head = { id: 'chatcmpl-8Kq2Zr6TnVb3YwLx9Cd5Fg7H', object: 'chat.completion.chunk', created: 1_767_323_045 };
  return `data: ${JSON.stringify({ ...head, model: 'chat', choices: [{ index: 0, delta, logprobs: null, finish_reason }], usage: null })}\n\n`;
};

const headers = {
  'x-fnf-user-message-id': 'Id of what you said.',
  'x-fnf-message-id': 'Id of the answer; also beside an error.',
};

const answers: Contract['answers'] = {
  200: {
    description: 'The answer as events, in the frames of chat completions.',
    headers,
    also: [
      {
        type: 'text/event-stream',
        event: chatChunkSchema,
        example: [
          frame({ role: 'assistant', content: '' }),
          frame({ content: '5' }),
          frame({}, 'stop'),
          'data: [DONE]\n\n',
        ].join(''),
      },
    ],
  },
  201: {
    description: 'With `stream: false`: both messages.',
    headers,
    schema: answerSchema,
    example,
  },
};

const faults = [...textCallFaults, 'not_found', 'state_conflict', 'account_suspended', 'project_not_found'] as const;

export const listMessagesContract: Contract = {
  tag,
  summary: 'List messages of a chat',
  description: 'What was said in a chat, the oldest first.',
  answers: {
    200: {
      description: 'A page of messages.',
      schema: pageSchema(messageSchema),
      example: { data: [userMessageExample, messageExample], next_cursor: null, total_count: 2 },
    },
  },
  faults: ['not_found', 'invalid_cursor'],
};

export const readMessageContract: Contract = {
  tag,
  summary: 'Read a message',
  description: 'A message as it is now: an answer in progress has the text that it has come to, and its state.',
  answers: { 200: { description: 'The message.', schema: messageSchema, example: messageExample } },
  faults: ['not_found'],
};

export const createMessageContract: Contract = {
  tag,
  summary: 'Say something and get an answer',
  description: `The answer is made and charged like that of chat completions; \`message.request\` is the body of the same call there. It goes on being kept while it is made: what a failed or stopped answer has come to stays.

An answer that calls tools goes on with their results: send \`tool_results\` instead of \`content\`, one for each call.

A chat gets one answer at a time: a second request meanwhile gets 409 \`state_conflict\`. An answer that is stopped ends like one that is finished. Who leaves stops the answer, unless he sent an \`Idempotency-Key\`.

Try again by yourself only after \`model_warming\`, at most three times, and never after the first frame.`,
  bodyExample: { content: 'What is 2 + 3?', stream: false },
  answers,
  faults: [...faults],
  idempotent: true,
};

export const retryContract: Contract = {
  tag,
  summary: 'Try an answer again',
  description:
    'Tries again an answer that failed or was stopped, or the last one of the chat. A complete answer stays until the new one begins.',
  bodyExample: { params: { temperature: 0 } },
  answers,
  faults: [...faults],
  idempotent: true,
};

export const rateContract: Contract = {
  tag,
  summary: 'Rate an answer',
  description:
    'Keeps with an answer that has ended whether it was good. Another attempt at it begins without a rating.',
  bodyExample: { rating: 'up' },
  answers: {
    200: { description: 'The message.', schema: messageSchema, example: { ...messageExample, rating: 'up' } },
  },
  faults: ['not_found', 'owner_required', 'state_conflict'],
};

export const stopContract: Contract = {
  tag,
  summary: 'Stop an answer',
  description: 'Ends an answer that is being made, whichever server makes it. One that is over stays as it is.',
  answers: { 200: { description: 'The message.', schema: messageSchema, example: messageExample } },
  faults: ['not_found', 'owner_required', 'state_conflict'],
};
