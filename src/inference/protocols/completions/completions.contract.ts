import Type, { type Static } from 'typebox';
import { type Contract, expectingWithin } from '#http';
import { samplingFields } from '../openai/sampling.contract.ts';
import { answeredModel, created, finishReason, usageExample, usageSchema } from '../openai/usage.schema.ts';
import { calledModel, notSupported, optional, textCallFaults } from '../shared/call.contract.ts';

/** The body of P/completions. */
export const completionRequestSchema = Type.Object(
  {
    model: calledModel,
    prompt: Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1 })], {
      description: 'Text, or texts that are joined with spaces into one prompt.',
      ...expectingWithin(wordsOfPrompt),
    }),
    stream: notSupported('this route does not stream; use chat/completions', false),
    n: notSupported('only 1 is supported; use chat/completions', 1),
    best_of: notSupported('only 1 is supported', 1),
    echo: notSupported('not supported', false),
    suffix: optional(
      Type.String({
        description:
          'Text behind the answer: the model fills in what stands between the prompt and this, without its chat template. For models with tokens to fill in the middle that run on the server itself; others refuse it.',
      }),
    ),
    logprobs: notSupported(),
    ...samplingFields,
  },
  { $id: 'CompletionRequest' },
);
export type CompletionBody = Static<typeof completionRequestSchema>;

function wordsOfPrompt(sent: unknown): string {
  const hasParts = Array.isArray(sent) && sent.length > 0;
  return `expected a string or a list of strings${hasParts ? ', not token ids' : ''}`;
}

const completionSchema = Type.Object(
  {
    id: Type.String({ description: 'Id of the answer.', pattern: '^cmpl-' }),
    object: Type.Literal('text_completion', { description: 'Kind of object.' }),
    created,
    model: answeredModel,
    choices: Type.Array(
      Type.Object({
        text: Type.String({ description: 'The answer, without reasoning.' }),
        index: Type.Integer({ description: 'Always 0.' }),
        logprobs: Type.Null({ description: 'Always null.' }),
        finish_reason: finishReason,
      }),
      { description: 'Exactly one.' },
    ),
    usage: usageSchema,
  },
  { $id: 'Completion' },
);

export const completionsContract: Contract = {
  tag: 'inference',
  summary: 'Create a completion',
  description:
    'The legacy route for clients that know no conversations: the prompt becomes one message of a user; with `suffix`, the model fills in the middle. It gives one answer and does not stream.',
  body: completionRequestSchema,
  bodyExample: { model: 'chat', prompt: 'What is the capital of France?', max_tokens: 64 },
  answers: {
    200: {
      description: 'The answer.',
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
