import Type from 'typebox';

const count = (description: string) => Type.Integer({ description, minimum: 0 });

/** Token counts of an answer of a text model (interface 2.3), with the nested copies that several clients read. */
export const usageSchema = Type.Object(
  {
    prompt_tokens: count('Tokens of the prompt.'),
    completion_tokens: count('Tokens that the model generated, reasoning included.'),
    total_tokens: count('Both together.'),
    reasoning_tokens: count('Tokens of reasoning among the generated ones.'),
    cached_tokens: count('Tokens of the prompt that the model still knew from an earlier call of the account.'),
    prompt_tokens_details: Type.Object(
      { cached_tokens: count('As above.') },
      { description: 'The same as OpenAI names it.' },
    ),
    completion_tokens_details: Type.Object(
      { reasoning_tokens: count('As above.') },
      { description: 'The same as OpenAI names it.' },
    ),
  },
  { $id: 'Usage', description: 'Token counts. What the model does not report is 0.' },
);

export const usageExample = {
  prompt_tokens: 21,
  completion_tokens: 9,
  total_tokens: 30,
  reasoning_tokens: 0,
  cached_tokens: 12,
  prompt_tokens_details: { cached_tokens: 12 },
  completion_tokens_details: { reasoning_tokens: 0 },
};

export const created = Type.Integer({ description: 'Unix time in seconds.' });
export const answeredModel = Type.String({ description: 'The model as it was called.' });
export const finishReason = Type.Enum(['stop', 'length', 'tool_calls'], {
  description:
    '`stop`: the model ended or met a stop text; `length`: `max_tokens` is used up; `tool_calls`: it calls tools.',
});
