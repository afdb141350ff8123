import Type from 'typebox';
import { type Contract, expectingWithin, said } from '#http';
import { calledModel, notSupported, samplingFields, textCallFaults } from '../openai/sampling.contract.ts';
import { answeredModel, created, finishReason, usageExample, usageSchema } from '../openai/usage.schema.ts';

/** The body of P/completions. */
export const completionRequestSchema = Type.Object(
  {
    model: calledModel,
    prompt: Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1 })], {
      ...said(
        'Text, or texts that are joined with spaces into one prompt.',
        '文本，或以空格连接成一个提示词的文本列表。',
      ),
      ...expectingWithin(wordsOfPrompt),
    }),
    stream: notSupported('this route does not stream; use chat/completions', false),
    best_of: notSupported('only 1 is supported', 1),
    echo: notSupported('not supported', false),
    suffix: notSupported('not supported', ''),
    logprobs: notSupported(),
    ...samplingFields,
  },
  { $id: 'CompletionRequest' },
);

function wordsOfPrompt(sent: unknown): string {
  const hasParts = Array.isArray(sent) && sent.length > 0;
  return `expected a string or a list of strings${hasParts ? ', not token ids' : ''}`;
}

const completionSchema = Type.Object(
  {
    id: Type.String({ ...said('Id of the answer.', '回答的 ID。'), pattern: '^cmpl-' }),
    object: Type.Literal('text_completion', said('Kind of object.', '对象类型。')),
    created,
    model: answeredModel,
    choices: Type.Array(
      Type.Object({
        text: Type.String(said('The answer, without reasoning.', '回答内容，不含推理。')),
        index: Type.Integer(said('Always 0.', '始终为 0。')),
        logprobs: Type.Null(said('Always null.', '始终为 null。')),
        finish_reason: finishReason,
      }),
      said('Exactly one.', '恰好一项。'),
    ),
    usage: usageSchema,
  },
  { $id: 'Completion' },
);

export const completionsContract: Contract = {
  tag: 'inference',
  summary: said('Create a completion', '创建文本补全'),
  description: said(
    'The legacy route for clients that know no conversations: the prompt becomes one message of a user. It gives one answer and does not stream.',
    '供不支持对话的旧客户端使用：提示词将作为一条用户消息处理。仅返回一个结果，不支持流式返回。',
  ),
  body: completionRequestSchema,
  bodyExample: { model: 'chat', prompt: 'What is the capital of France?', max_tokens: 64 },
  answers: {
    200: {
      description: said('The answer.', '回答。'),
      schema: completionSchema,
      example: {
        id: 'cmpl-8Kq2Zr6TnVb3YwLx9Cd5Fg7H',
        object: 'text_completion',
        created: 1_767_323_045,
        model: 'chat',
        choices: [{ text: 'The capital of France is Paris.', index: 0, logprobs: null, finish_reason: 'stop' }],
        usage: usageExample,
      },
    },
  },
  faults: textCallFaults,
  idempotent: true,
};
