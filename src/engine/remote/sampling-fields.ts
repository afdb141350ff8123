import { fault } from '#kernel';
import type { Sampling } from '../port.ts';
import type { JsonFields } from './wire.ts';

/** Names of settings that OpenAI's routes do not have. */
export type SamplingNames = { topK: string; minP: string; repetitionPenalty: string };

/** As vLLM names them. */
export const samplingNames: SamplingNames = {
  topK: 'top_k',
  minP: 'min_p',
  repetitionPenalty: 'repetition_penalty',
};

/**
 * The sampling of a call, as an engine takes it. Only what the caller chose is sent: the engine has defaults of its own for the rest. Throws
 * where it has no field for what was chosen.
 */
export function samplingFields(sampling: Sampling, names: SamplingNames | null): JsonFields {
  const {
    maxTokens,
    temperature,
    topP,
    presencePenalty,
    frequencyPenalty,
    seed,
    stop,
    logitBias = [],
    logprobs,
  } = sampling;
  return {
    ...(Number.isFinite(maxTokens) ? { max_tokens: maxTokens } : {}),
    temperature,
    top_p: topP,
    ...(presencePenalty === 0 ? {} : { presence_penalty: presencePenalty }),
    ...(frequencyPenalty === 0 ? {} : { frequency_penalty: frequencyPenalty }),
    ...(seed === null ? {} : { seed }),
    ...(stop.length === 0 ? {} : { stop }),
    ...(logitBias.length === 0
      ? {}
      : { logit_bias: Object.fromEntries(logitBias.map(({ token, bias }) => [token, bias])) }),
    ...(logprobs === undefined ? {} : { logprobs: true, ...(logprobs === 0 ? {} : { top_logprobs: logprobs }) }),
    ...namedFields(sampling, names),
  };
}

function namedFields(
  { topP, topK = null, minP = 0, repetitionPenalty = 1 }: Sampling,
  names: SamplingNames | null,
): JsonFields {
  if (names === null) {
    if (topK !== null) throw lacks('top_k');
    if (minP !== 0) throw lacks('min_p');
    if (repetitionPenalty !== 1) throw lacks('repetition_penalty');
    return {};
  }
  return {
    // Most refuse a `top_p` of 0, which is the most likely token.
    ...(topP === 0 ? { top_p: 1, [names.topK]: 1 } : topK === null ? {} : { [names.topK]: topK }),
    ...(minP === 0 ? {} : { [names.minP]: minP }),
    ...(repetitionPenalty === 1 ? {} : { [names.repetitionPenalty]: repetitionPenalty }),
  };
}

function lacks(param: string) {
  return fault('invalid_request', {
    param,
    message: `${param}: the engine that serves this model has no such setting; leave it out`,
  });
}
