import { type Contract, said } from '#http';
import { textCallFaults } from '../openai/sampling.contract.ts';
import { responseExample, streamExample } from './examples.ts';
import { responsesRequestSchema } from './request.schema.ts';
import { responseEventSchema, responseSchema } from './response.schema.ts';

export const streamOf = (example: string) =>
  ({ type: 'text/event-stream', event: responseEventSchema, example }) as const;

export const responsesContract: Contract = {
  tag: 'inference',
  summary: said('Create a response', '创建回答'),
  description: said(
    `Answers in the form of OpenAI's Responses API. With \`stream\` the answer comes as server-sent events with gapless \`sequence_number\`; the last one is \`response.completed\`, \`response.incomplete\` or \`response.failed\`. A failure before the first event is an ordinary error.

Responses are kept unless \`store\` is false, so that later ones can follow them by \`previous_response_id\` or name their items.

Functions and custom tools can be called; tools that a provider hosts (such as \`web_search\`) are left out and never an error. Input is text only. Fields that are not listed are ignored. Calls are kept as training data only where the owner of the project turned that on.`,
    `以 OpenAI Responses API 的形式作答。设置 \`stream\` 时以服务器发送事件返回，\`sequence_number\` 连续；最后一个事件是 \`response.completed\`、\`response.incomplete\` 或 \`response.failed\`。首个事件之前的失败返回普通错误。

除非 \`store\` 为 false，回答会被保存，后续回答可通过 \`previous_response_id\` 接续，或引用其条目。

可调用函数和自定义工具；由服务方托管的工具（如 \`web_search\`）会被略去，绝不会报错。输入仅支持文本。未列出的字段会被忽略。若项目所有者开启了自动保存，本次调用可能成为训练数据。`,
  ),
  body: responsesRequestSchema,
  bodyExamples: [
    {
      title: said('A question', '提问'),
      value: { model: 'chat', input: 'What is the capital of France?', max_output_tokens: 64 },
    },
    {
      title: said('A stream', '流式响应'),
      value: { model: 'chat', input: 'What is the capital of France?', stream: true, store: false },
    },
    {
      title: said('A tool that the model may call', '可供模型调用的工具'),
      value: {
        model: 'chat',
        instructions: 'Answer briefly.',
        input: [{ role: 'user', content: 'How is the weather in Paris?' }],
        tools: [
          {
            type: 'function',
            name: 'get_weather',
            parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
          },
        ],
      },
    },
  ],
  answers: {
    200: {
      description: said('The answer; with `stream`, as events.', '回答；设置 `stream` 时为事件流。'),
      schema: responseSchema,
      example: responseExample,
      also: [streamOf(streamExample)],
    },
  },
  faults: [...textCallFaults, 'context_length_exceeded', 'previous_response_not_found'],
  idempotent: true,
};
