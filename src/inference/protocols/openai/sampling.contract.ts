import Type, { type Static } from 'typebox';
import { expecting, expectingWithin } from '#http';
import { chatDefaults } from '#models';
import { optional } from '../shared/call.contract.ts';

/** Of either sign: clients draw seeds of 64 bits. */
const mostSeed = 2 ** 63;
const maxStops = 8;
const maxBiases = 1_024;

const maxTokens =
  'Most tokens of the answer, reasoning included. Prompt and answer together must fit the context of the model.';

const tokenBounds = { minimum: 1, maximum: Number.MAX_SAFE_INTEGER };

/** What chat and legacy completions have in common. */
export const samplingFields = {
  max_tokens: optional(Type.Integer({ description: maxTokens, ...tokenBounds, default: chatDefaults.max_tokens })),
  max_completion_tokens: optional(
    Type.Integer({
      description: 'Another name of `max_tokens`; send one of them.',
      ...tokenBounds,
    }),
  ),
  temperature: optional(
    Type.Number({
      description: 'Randomness of the choice of tokens; 0 always takes the likeliest.',
      minimum: 0,
      maximum: 2,
      default: chatDefaults.temperature,
    }),
  ),
  top_p: optional(
    Type.Number({
      description: 'Share of probability that tokens are chosen from.',
      minimum: 0,
      maximum: 1,
      default: chatDefaults.top_p,
    }),
  ),
  top_k: optional(
    Type.Integer({
      description: 'Tokens are chosen from so many of the likeliest; 0 or -1: from all.',
      minimum: -1,
      maximum: Number.MAX_SAFE_INTEGER,
    }),
  ),
  min_p: optional(
    Type.Number({
      description: "Tokens less likely than this share of the likeliest one's probability are not chosen.",
      minimum: 0,
      maximum: 1,
      default: 0,
    }),
  ),
  repetition_penalty: optional(
    Type.Number({
      description:
        'Above 1 it lowers the chance of tokens of the prompt and of the answer. With it, the other two penalties count the prompt too.',
      minimum: 0.01,
      maximum: 2,
      default: 1,
    }),
  ),
  presence_penalty: optional(penalty('Lowers the chance of tokens that occurred.')),
  frequency_penalty: optional(penalty('Lowers the chance of tokens by how often they occurred.')),
  seed: optional(
    Type.Integer({
      description: 'Makes the choice of tokens repeatable, as far as possible.',
      minimum: -mostSeed,
      maximum: mostSeed,
    }),
  ),
  stop: optional(
    Type.Union([Type.String({ minLength: 1 }), Type.Array(Type.String({ minLength: 1 }), { maxItems: maxStops })], {
      description: 'Texts that end the answer; they are not returned.',
      ...expectingWithin(wordsOfStop),
    }),
  ),
  reasoning_effort: optional(
    Type.Enum(['none', 'low', 'high'], {
      description:
        "`none` turns reasoning off, `low` keeps it short, `high` does not; left out, the model's own default applies.",
    }),
  ),
  logit_bias: optional(
    Type.Record(
      Type.String(),
      Type.Number({
        description: 'Added to the score of the token: -100 bans it, 100 forces it.',
        minimum: -100,
        maximum: 100,
        ...expecting('expected a number from -100 to 100'),
      }),
      {
        description: 'Biases by the number of a token of the model.',
        ...expecting(`expected an object with at most ${maxBiases} numbers, by token`),
        maxProperties: maxBiases,
      },
    ),
  ),
};

const samplingSchema = Type.Object(samplingFields);
export type SamplingBody = Static<typeof samplingSchema>;

function wordsOfStop(sent: unknown): string {
  if (Array.isArray(sent) && sent.length > maxStops) return `expected at most ${maxStops} strings`;
  return 'expected a non-empty string or a list of them';
}

function penalty(description: string) {
  return Type.Number({ description, minimum: -2, maximum: 2, default: 0 });
}
