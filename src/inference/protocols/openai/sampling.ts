import type { LogitBias } from '#engine';
import { chatDefaults } from '#models';
import type { TextRequest } from '../../model-request.ts';
import { refuse } from './refuse.ts';
import type { SamplingBody } from './sampling.contract.ts';

/** Sampling fields shared by chat and legacy completions, with the defaults that the catalogue publishes. */
export function readSampling(body: SamplingBody): TextRequest['sampling'] {
  const { top_k: topK, min_p: minP, repetition_penalty: repetitionPenalty } = body;
  const logitBias = readLogitBias(body.logit_bias ?? {});
  return {
    maxTokens: readMaxTokens(body),
    temperature: body.temperature ?? chatDefaults.temperature,
    topP: body.top_p ?? chatDefaults.top_p,
    ...(topK != null && topK > 0 ? { topK } : {}),
    ...(minP == null ? {} : { minP }),
    ...(repetitionPenalty == null ? {} : { repetitionPenalty }),
    ...(logitBias.length === 0 ? {} : { logitBias }),
    presencePenalty: body.presence_penalty ?? 0,
    frequencyPenalty: body.frequency_penalty ?? 0,
    // A remote engine is sent the number, and a number of JSON is exact up to 53 bits.
    seed: body.seed == null ? null : body.seed % 2 ** 53,
    stop: [body.stop ?? []].flat(),
  };
}

function readMaxTokens({ max_tokens: named, max_completion_tokens: alias }: SamplingBody): number {
  if (named != null && alias != null && named !== alias)
    throw refuse('max_completion_tokens', 'differs from max_tokens; send one of them');
  return named ?? alias ?? chatDefaults.max_tokens;
}

/** No vocabulary has more tokens than 31 bits count. */
const tokenNumber = /^(0|[1-9]\d{0,8})$/;

function readLogitBias(sent: Record<string, number>): LogitBias[] {
  return Object.entries(sent).flatMap(([key, bias]) => {
    if (!tokenNumber.test(key))
      throw refuse('logit_bias', `${JSON.stringify(key).slice(0, 40)} is no number of a token`);
    return bias === 0 ? [] : { token: Number(key), bias };
  });
}
