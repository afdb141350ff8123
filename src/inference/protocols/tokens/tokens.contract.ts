import Type from 'typebox';
import { type Contract, expecting, nullable } from '#http';
import { chatRequestSchema } from '../chat-completions/chat-request.contract.ts';
import { calledModel, notSupported, optional } from '../shared/call.contract.ts';

const { messages, tools, tool_choice, reasoning_effort } = chatRequestSchema.properties;

/** The body of P/tokenize, in the form of vLLM. */
export const tokenizeRequestSchema = Type.Object(
  {
    model: calledModel,
    prompt: optional(Type.String({ description: 'A text. Names of control tokens in it are ordinary characters.' })),
    messages: Type.Optional(nullable(messages)),
    tools,
    tool_choice,
    reasoning_effort,
    add_generation_prompt: optional(
      Type.Boolean({ description: 'With the beginning of an answer behind `messages`.', default: true }),
    ),
    add_special_tokens: optional(
      Type.Boolean({ description: 'With the tokens that the model wants around `prompt`.', default: true }),
    ),
    continue_final_message: notSupported('not supported', false),
    return_token_strs: notSupported('not supported; send the tokens to /detokenize', false),
    chat_template: notSupported('not supported; the template of the model is used'),
  },
  { $id: 'TokenizeRequest' },
);

/** A request takes as many tokens as a text may have. */
const maxTokens = 131_072;

export const detokenizeRequestSchema = Type.Object(
  {
    model: calledModel,
    tokens: Type.Array(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 }), {
      description: 'Tokens of the model, at most 131,072.',
      maxItems: maxTokens,
      ...expecting(`expected a list of at most ${maxTokens} tokens`),
    }),
  },
  { $id: 'DetokenizeRequest' },
);

const faults = [
  'model_not_found',
  'model_not_installed',
  'owner_required',
  'rate_limited',
  'generation_failed',
  'model_warming',
  'capacity_unavailable',
] as const;

export const tokenizeContract: Contract = {
  tag: 'inference',
  summary: 'Tokenise a text or a conversation',
  description:
    'The tokens that a model sees, exactly: of `prompt`, or of `messages` with `tools` as a chat would run them. In the form of vLLM. Works with models of every kind. Free, limited in number, and at most 131,072 tokens. The model is not loaded for it.',
  body: tokenizeRequestSchema,
  bodyExample: { model: 'chat', messages: [{ role: 'user', content: 'Hello!' }] },
  answers: {
    200: {
      description: 'The tokens.',
      schema: Type.Object(
        {
          tokens: Type.Array(Type.Integer(), { description: 'Ids of the tokens, in order.' }),
          count: Type.Integer({ description: 'How many they are.', minimum: 0 }),
          max_model_len: Type.Integer({ description: 'Longest context of the model, tokens.', minimum: 1 }),
        },
        { $id: 'TokenizeAnswer' },
      ),
      example: { tokens: [1, 9707, 0, 2], count: 4, max_model_len: 4096 },
    },
  },
  faults,
};

export const detokenizeContract: Contract = {
  tag: 'inference',
  summary: 'Make text of tokens',
  description:
    'The text of tokens, names of control tokens included. In the form of vLLM. Free, and limited in number.',
  body: detokenizeRequestSchema,
  bodyExample: { model: 'chat', tokens: [9707, 0] },
  answers: {
    200: {
      description: 'The text.',
      schema: Type.Object({ prompt: Type.String({ description: 'The text.' }) }, { $id: 'DetokenizeAnswer' }),
      example: { prompt: 'Hello!' },
    },
  },
  faults,
};
