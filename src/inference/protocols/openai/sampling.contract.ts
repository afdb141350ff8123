import Type, { type Static, type TSchema } from 'typebox';
import { expecting, expectingWithin, nullable, said } from '#http';
import { chatDefaults } from '#models';

/** Of either sign: clients draw seeds of 64 bits. */
const mostSeed = 2 ** 63;
const maxStops = 8;

/** A field that may be left out; null means the same. */
export const optional = <Value extends TSchema>(value: Value) => Type.Optional(nullable(value));

/** A field that is accepted only while it asks for nothing: a value that would change the answer is refused, never ignored. */
export function notSupported<Value extends boolean | number | string>(words = 'not supported', nothing?: Value) {
  const text = { ...said('Not supported.', '不支持。'), ...expecting(words) };
  const accepted = nothing === undefined ? [] : [Type.Literal(nothing)];
  return Type.Optional(Type.Union([...accepted, Type.Null()], text));
}

export const calledModel = Type.String({
  ...said(
    'A hosted model from the list of models, a base model, or `training-job#<id>` of a finished job: one of your own, or of a public project. Base models are for the owner of the project.',
    '模型列表中的托管模型、基础模型，或已完成训练任务的 `training-job#<id>`（您自己的任务或公开项目的任务）。基础模型仅限项目所有者调用。',
  ),
  minLength: 1,
});

const maxTokens = said(
  'Most tokens of the answer, reasoning included. Prompt and answer together must fit the context of the model.',
  '回答的最大词元数，含推理部分。提示词与回答之和不得超过模型的上下文长度。',
);

const tokenBounds = { minimum: 1, maximum: Number.MAX_SAFE_INTEGER };

/** What chat and legacy completions have in common. */
export const samplingFields = {
  max_tokens: optional(Type.Integer({ ...maxTokens, ...tokenBounds, default: chatDefaults.max_tokens })),
  max_completion_tokens: optional(
    Type.Integer({
      ...said('Another name of `max_tokens`; send one of them.', '`max_tokens` 的别名；只发送其中一个。'),
      ...tokenBounds,
    }),
  ),
  temperature: optional(
    Type.Number({
      ...said(
        'Randomness of the choice of tokens; 0 always takes the likeliest.',
        '采样温度；0 表示总是选择概率最高的词元。',
      ),
      minimum: 0,
      maximum: 2,
      default: chatDefaults.temperature,
    }),
  ),
  top_p: optional(
    Type.Number({
      ...said('Share of probability that tokens are chosen from.', '核采样的概率阈值。'),
      minimum: 0,
      maximum: 1,
      default: chatDefaults.top_p,
    }),
  ),
  presence_penalty: optional(penalty('Lowers the chance of tokens that occurred.', '降低已出现词元的概率。')),
  frequency_penalty: optional(
    penalty('Lowers the chance of tokens by how often they occurred.', '按出现次数降低词元的概率。'),
  ),
  seed: optional(
    Type.Integer({
      ...said('Makes the choice of tokens repeatable, as far as possible.', '尽可能使采样结果可复现。'),
      minimum: -mostSeed,
      maximum: mostSeed,
    }),
  ),
  stop: optional(
    Type.Union([Type.String({ minLength: 1 }), Type.Array(Type.String({ minLength: 1 }), { maxItems: maxStops })], {
      ...said('Texts that end the answer; they are not returned.', '遇到即结束回答的文本；不会出现在结果中。'),
      ...expectingWithin(wordsOfStop),
    }),
  ),
  reasoning_effort: optional(
    Type.Enum(
      ['none', 'low', 'high'],
      said(
        "`none` turns reasoning off, `low` keeps it short, `high` does not; left out, the model's own default applies.",
        '`none` 关闭推理，`low` 使推理简短，`high` 不缩短推理；省略时采用模型自身的默认行为。',
      ),
    ),
  ),
  n: notSupported('only 1 is supported', 1),
  logit_bias: optional(
    Type.Object({}, { ...said('Not supported.', '不支持。'), ...expectingWithin('not supported'), maxProperties: 0 }),
  ),
};

const samplingSchema = Type.Object(samplingFields);
export type SamplingBody = Static<typeof samplingSchema>;

function wordsOfStop(sent: unknown): string {
  if (Array.isArray(sent) && sent.length > maxStops) return `expected at most ${maxStops} strings`;
  return 'expected a non-empty string or a list of them';
}

function penalty(english: string, chinese: string) {
  return Type.Number({ ...said(english, chinese), minimum: -2, maximum: 2, default: 0 });
}

/** Conditions of every call that a text model answers. */
export const textCallFaults = [
  'model_not_found',
  'model_not_installed',
  'owner_required',
  'insufficient_credits',
  'ambiguous_transport',
  'rate_limited',
  'generation_failed',
  'model_warming',
  'capacity_unavailable',
] as const;
