import Type from 'typebox';
import { type Contract, nullable, said } from '#http';
import { textCallFaults } from '../openai/sampling.contract.ts';
import { answeredModel, created, finishReason, usageExample, usageSchema } from '../openai/usage.schema.ts';
import { chatRequestSchema, toolCalls } from './chat-request.contract.ts';

const logprobs = Type.Null(said('Always null.', '始终为 null。'));
const index = Type.Integer(said('Always 0.', '始终为 0。'));
const reasoning = Type.String(said('What the model thought before it answered.', '模型回答前的推理内容。'));
const id = Type.String({ ...said('Id of the answer.', '回答的 ID。'), pattern: '^chatcmpl-' });

const completionSchema = Type.Object(
  {
    id,
    object: Type.Literal('chat.completion', said('Kind of object.', '对象类型。')),
    created,
    model: answeredModel,
    choices: Type.Array(
      Type.Object({
        index,
        message: Type.Object(
          {
            role: Type.Literal('assistant', said('The model.', '模型。')),
            content: nullable(
              Type.String(said('The answer.', '回答内容。')),
              said('Null when there are only calls of tools.', '仅有工具调用时为 null。'),
            ),
            refusal: Type.Null(said('Always null.', '始终为 null。')),
            reasoning_content: Type.Optional(reasoning),
            tool_calls: Type.Optional(toolCalls),
          },
          said('The answer.', '回答消息。'),
        ),
        logprobs,
        finish_reason: finishReason,
      }),
      said('Exactly one.', '恰好一项。'),
    ),
    usage: usageSchema,
  },
  { $id: 'ChatCompletion' },
);

const toolCallDelta = Type.Object({
  index: Type.Integer(said('Which call this belongs to.', '所属调用的序号。')),
  id: Type.Optional(Type.String(said('In the first piece of a call only.', '仅出现在调用的首个片段中。'))),
  type: Type.Optional(
    Type.Literal('function', said('In the first piece of a call only.', '仅出现在调用的首个片段中。')),
  ),
  function: Type.Object(
    {
      name: Type.Optional(Type.String(said('In the first piece of a call only.', '仅出现在调用的首个片段中。'))),
      arguments: Type.String(said('Further arguments, as JSON text.', '后续参数，JSON 文本。')),
    },
    said('The function that is called.', '被调用的函数。'),
  ),
});

export const chunkSchema = Type.Object(
  {
    id,
    object: Type.Literal('chat.completion.chunk', said('Kind of object.', '对象类型。')),
    created,
    model: answeredModel,
    choices: Type.Array(
      Type.Object({
        index,
        delta: Type.Object(
          {
            role: Type.Optional(Type.Literal('assistant', said('In the first frame only.', '仅出现在首帧。'))),
            content: Type.Optional(Type.String(said('Further text.', '后续文本。'))),
            reasoning_content: Type.Optional(reasoning),
            tool_calls: Type.Optional(
              Type.Array(toolCallDelta, said('One piece of one call.', '单个调用的一个片段。')),
            ),
          },
          said('What is new; empty in the frame that finishes.', '新增内容；结束帧中为空。'),
        ),
        logprobs,
        finish_reason: nullable(finishReason, said('Null until the answer is finished.', '回答结束前为 null。')),
      }),
      said('One, or none in the frame with `usage`.', '一项；含 `usage` 的帧中为空。'),
    ),
    usage: Type.Optional(
      Type.Union([usageSchema, Type.Null()], said('Only with `include_usage`.', '仅在设置 `include_usage` 时出现。')),
    ),
  },
  { $id: 'ChatCompletionChunk' },
);

const head = { id: 'chatcmpl-8Kq2Zr6TnVb3YwLx9Cd5Fg7H', created: 1_767_323_045, model: 'chat' };
const frame = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, logprobs: null, finish_reason }] })}\n\n`;

const message = { role: 'assistant', content: 'The capital of France is Paris.', refusal: null };

export const chatContract: Contract = {
  tag: 'inference',
  summary: said('Create a chat completion', '创建对话补全'),
  description: said(
    `Answers a conversation. With \`stream\` the answer comes as server-sent events: a frame with the role, frames with text, reasoning or calls of tools, a frame that finishes, one with \`usage\` if it was asked for, and \`data: [DONE]\`.

A failure before the first frame is an ordinary error. After it the last frame is \`{"error": {...}}\` and there is no \`[DONE]\`.

Fields that are not listed are ignored, except those that ask for something that is not supported (such as \`logprobs\` or \`functions\`): they are refused. Calls are kept as training data only where the owner of the project turned that on.`,
    `对会话作出回答。设置 \`stream\` 时以服务器发送事件返回：首帧含角色，随后为文本、推理或工具调用帧，然后是结束帧，按需附加含 \`usage\` 的帧，最后是 \`data: [DONE]\`。

首帧之前的失败返回普通错误；之后的失败以 \`{"error": {...}}\` 作为最后一帧，且没有 \`[DONE]\`。

未列出的字段会被忽略，但请求不受支持的功能的字段（如 \`logprobs\` 或 \`functions\`）会被拒绝。若项目所有者开启了自动保存，本次调用可能成为训练数据。`,
  ),
  body: chatRequestSchema,
  bodyExamples: [
    {
      title: said('A question', '提问'),
      value: { model: 'chat', messages: [{ role: 'user', content: 'What is the capital of France?' }], max_tokens: 64 },
    },
    {
      title: said('A stream with usage', '带用量的流式响应'),
      value: {
        model: 'chat',
        messages: [{ role: 'user', content: 'What is the capital of France?' }],
        stream: true,
        stream_options: { include_usage: true },
      },
    },
    {
      title: said('A tool that the model may call', '可供模型调用的工具'),
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
      description: said('The answer; with `stream`, as events.', '回答；设置 `stream` 时为事件流。'),
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
