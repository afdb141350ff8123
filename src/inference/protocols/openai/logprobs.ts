import Type from 'typebox';
import type { TokenLogprob } from '#engine';

const tokenFields = {
  token: Type.String({ description: 'The token as text.' }),
  logprob: Type.Number({ description: 'Natural logarithm of its probability; -9999 is next to impossible.' }),
  bytes: Type.Array(Type.Integer(), {
    description: 'The bytes of its text. A character may be made of several tokens.',
  }),
};

/** Log probabilities of the tokens of a choice. */
export const logprobsSchema = Type.Object(
  {
    content: Type.Array(
      Type.Object({
        ...tokenFields,
        top_logprobs: Type.Array(Type.Object(tokenFields), { description: 'The likeliest tokens in its place.' }),
      }),
      { description: 'The tokens of the content, without those of reasoning and of calls.' },
    ),
    refusal: Type.Null({ description: 'Always null.' }),
  },
  { description: 'Of the model itself, before any setting of sampling.' },
);

export type LogprobsWire = ReturnType<typeof logprobsToWire>;

export function logprobsToWire(tokens: readonly TokenLogprob[]) {
  return { content: tokens.map(({ top, ...token }) => ({ ...token, top_logprobs: top })), refusal: null };
}
