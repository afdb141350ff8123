import { chatDefaults } from '#models';
import type { TextRequest } from '../../model-request.ts';
import { refuse } from './refuse.ts';
import type { SamplingBody } from './sampling.contract.ts';

/** Sampling fields shared by chat and legacy completions, with the defaults that the catalogue publishes. */
export function readSampling(body: SamplingBody): TextRequest['sampling'] {
  return {
    maxTokens: readMaxTokens(body),
    temperature: body.temperature ?? chatDefaults.temperature,
    topP: body.top_p ?? chatDefaults.top_p,
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
