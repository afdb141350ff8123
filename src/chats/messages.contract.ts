import { type Contract, pageSchema, said } from '#http';
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

const nothing = { reasoning_content: null, tool_calls: null, error: null };

const userMessageExample = {
  ...{ id: 'msg_01KAXR5A2C4E6G8J0M2P4R6T8V', seq: 1, role: 'user', content: 'What is 2 + 3?', ...nothing },
  ...{ state: 'complete', attempt: 1, finish_reason: null, usage: null, request: null, request_id: null },
  ...{ model_revision: null, active_ms: 0, credits: '0.000000' },
  created_at: '2026-01-02T03:04:04.000Z',
  finished_at: '2026-01-02T03:04:04.000Z',
};

const messageExample = {
  ...{ id: 'msg_01KAXR5B3D5F7H9K1N3Q5S7U9W', seq: 2, role: 'assistant', content: '5', ...nothing },
  ...{ state: 'complete', attempt: 1, finish_reason: 'stop', usage: usageExample, request },
  request_id: 'req_01KAXR5B0A2C4E6G8J0M2P4R6T',
  ...{ model_revision: 3, active_ms: 41, credits: '0.000050' },
  created_at: '2026-01-02T03:04:04.000Z',
  finished_at: '2026-01-02T03:04:05.678Z',
};

const example = { user_message: userMessageExample, message: messageExample };

const frame = (delta: object, finish_reason: string | null = null) => {
  const head = { id: 'chatcmpl-8Kq2Zr6TnVb3YwLx9Cd5Fg7H', object: 'chat.completion.chunk', created: 1_767_323_045 };
  return `data: ${JSON.stringify({ ...head, model: 'chat', choices: [{ index: 0, delta, logprobs: null, finish_reason }], usage: null })}\n\n`;
};

const headers = {
  'x-fnf-user-message-id': said('Id of what you said.', '您的消息的 ID。'),
  'x-fnf-message-id': said('Id of the answer; also beside an error.', '回答的 ID；出错时同样返回。'),
};

const answers: Contract['answers'] = {
  200: {
    description: said(
      'The answer as events, in the frames of chat completions.',
      '以事件流返回回答，帧格式与对话补全相同。',
    ),
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
    description: said('With `stream: false`: both messages.', '当 `stream` 为 false 时：两条消息。'),
    headers,
    schema: answerSchema,
    example,
  },
};

const faults = [...textCallFaults, 'not_found', 'state_conflict', 'account_suspended', 'project_not_found'] as const;

export const listMessagesContract: Contract = {
  tag,
  summary: said('List messages of a chat', '列出对话中的消息'),
  description: said('What was said in a chat, the oldest first.', '按时间正序。'),
  answers: {
    200: {
      description: said('A page of messages.', '一页消息。'),
      schema: pageSchema(messageSchema),
      example: { data: [userMessageExample, messageExample], next_cursor: null, total_count: 2 },
    },
  },
  faults: ['not_found', 'invalid_cursor'],
};

export const readMessageContract: Contract = {
  tag,
  summary: said('Read a message', '查看消息'),
  description: said(
    'A message as it is now: an answer under way has the text that it has come to, and its state.',
    '消息的当前内容：仍在生成的回答含有已生成的文本及其状态。',
  ),
  answers: { 200: { description: said('The message.', '消息。'), schema: messageSchema, example: messageExample } },
  faults: ['not_found'],
};

export const createMessageContract: Contract = {
  tag,
  summary: said('Say something and get an answer', '发言并获取回答'),
  description: said(
    `The answer is made and charged like that of chat completions; \`message.request\` is the body of the same call there. It goes on being kept while it is made: what a failed or stopped answer has come to stays.

A chat gets one answer at a time: a second request meanwhile gets 409 \`state_conflict\`. An answer that is stopped ends like one that is finished. Who leaves stops the answer, unless he sent an \`Idempotency-Key\`.

Try again by yourself only after \`model_warming\`, at most three times, and never after the first frame.`,
    `回答的生成与计费与对话补全相同；\`message.request\` 即在该接口发起同一调用的请求体。生成过程中会持续保存：失败或被停止的回答保留已生成的部分。

每个对话同一时间只生成一条回答：期间的其他请求返回 409 \`state_conflict\`。被停止的回答像正常完成一样结束。调用方断开即停止回答，除非请求带有 \`Idempotency-Key\`。

仅在返回 \`model_warming\` 时自动重试，最多三次；收到首帧之后绝不自动重试。`,
  ),
  bodyExample: { content: 'What is 2 + 3?', stream: false },
  answers,
  faults: [...faults],
  idempotent: true,
};

export const retryContract: Contract = {
  tag,
  summary: said('Try an answer again', '重新生成回答'),
  description: said(
    'Tries again an answer that failed or was stopped, or the last one of the chat. A complete answer stays until the new one begins.',
    '适用于失败或被停止的回答，或对话中的最后一条回答。已完成的回答在新回答开始之前保持不变。',
  ),
  bodyExample: { params: { temperature: 0 } },
  answers,
  faults: [...faults],
  idempotent: true,
};

export const stopContract: Contract = {
  tag,
  summary: said('Stop an answer', '停止回答'),
  description: said(
    'Ends an answer that is being made, whichever server makes it. One that is over stays as it is.',
    '无论由哪台服务器生成。已结束的回答保持不变。',
  ),
  answers: { 200: { description: said('The message.', '消息。'), schema: messageSchema, example: messageExample } },
  faults: ['not_found', 'owner_required', 'state_conflict'],
};
