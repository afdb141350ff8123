import Type from 'typebox';
import { type Contract, said } from '#http';
import { textCallFaults } from '../openai/sampling.contract.ts';
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
  summary: said('Create a message', '创建消息'),
  description: said(
    `Answers a conversation, as Anthropic's clients ask for it: set their base URL to \`/api/projects/{owner}/{project}/anthropic\`. The key may be sent as \`x-api-key\` or as a bearer token. With \`stream\` the answer comes as server-sent events, from \`message_start\` to \`message_stop\`; a stream that fails ends with an event \`error\`.

Fields that are not listed are ignored, as are \`anthropic-beta\` and \`?beta=true\`. Tools that run on a server are left out. Only text is read: images and files are refused. The last message cannot be the beginning of the answer.

What takes longer than a moment to load or finds no capacity is answered with 529 and \`retry-after\`.`,
    `以 Anthropic 客户端的方式回答会话：将其基础 URL 设为 \`/api/projects/{owner}/{project}/anthropic\`。密钥可通过 \`x-api-key\` 或 Bearer 令牌发送。设置 \`stream\` 时以服务器发送事件返回，从 \`message_start\` 到 \`message_stop\`；失败的流以 \`error\` 事件结束。

未列出的字段、\`anthropic-beta\` 及 \`?beta=true\` 均会被忽略。在服务端运行的工具会被忽略。仅支持文本：图像和文件会被拒绝。最后一条消息不能是回答的开头。

模型仍在加载或没有容量时，返回 529 及 \`retry-after\`。`,
  ),
  body: messagesRequestSchema,
  bodyExamples: [
    { title: said('A question', '提问'), value: { ...question, max_tokens: 64 } },
    {
      title: said('Thoughts, as a stream', '带推理的流式响应'),
      value: { ...question, max_tokens: 2048, stream: true, thinking: { type: 'enabled', budget_tokens: 1024 } },
    },
    {
      title: said('A tool that the model may call', '可供模型调用的工具'),
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
      description: said('The answer; with `stream`, as events.', '回答；设置 `stream` 时为事件流。'),
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
  summary: said('Count the tokens of a message', '统计消息的词元数'),
  description: said(
    'The tokens of the prompt, as the call would be charged for them: `input_tokens` and `cache_read_input_tokens` of its answer together. Free, and limited in number.',
    '提示词的词元数，与实际调用计费一致：等于其响应中 `input_tokens` 与 `cache_read_input_tokens` 之和。免费，但有次数限制。',
  ),
  body: countRequestSchema,
  bodyExample: question,
  answers: {
    200: {
      description: said('The count.', '词元数。'),
      schema: Type.Object({
        input_tokens: Type.Integer({ ...said('Tokens of the prompt.', '提示词的词元数。'), minimum: 0 }),
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
