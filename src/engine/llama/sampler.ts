import type { Sampling } from '../port.ts';
import type { NativeGrammar, NativeModel, NativeSampler, SamplerConfig, Token } from './binding.ts';

/** The native sampler of one request. Its order is fixed: penalties, grammar, top-p, temperature, draw. */
export type RequestSampler = {
  native: NativeSampler;
  /** From the next token on the output must match. `generated`: the tokens that penalties count. */
  constrain: (grammar: NativeGrammar, generated: readonly Token[]) => void;
  dispose: () => void;
};

/** llama.cpp takes this seed for "draw one yourself". */
const reservedSeed = 0xffffffff;

/** Any safe integer to the 32 bits of the native generator. */
export function nativeSeed(seed: number): number {
  const folded = ((seed >>> 0) ^ (Math.floor(seed / 2 ** 32) >>> 0)) >>> 0;
  return folded === reservedSeed ? reservedSeed - 1 : folded;
}

/** Everything but the grammar. Greedy where the temperature or top-p is 0. */
export function samplerConfig(sampling: Sampling, randomSeed: number): SamplerConfig {
  const greedy = sampling.temperature === 0 || sampling.topP === 0;
  const penalised = sampling.presencePenalty !== 0 || sampling.frequencyPenalty !== 0;
  return {
    temperature: greedy ? 0 : sampling.temperature,
    ...(greedy || sampling.topP >= 1 ? {} : { topP: sampling.topP }),
    seed: nativeSeed(sampling.seed ?? randomSeed),
    ...(penalised
      ? {
          repeatPenalty: 1,
          repeatPenaltyPresencePenalty: sampling.presencePenalty,
          repeatPenaltyFrequencyPenalty: sampling.frequencyPenalty,
          // The native sampler forgets tokens further back than this; none may be forgotten.
          repeatPenaltyMaxTokens: Math.max(1, sampling.maxTokens),
          repeatPenaltyTokens: new Uint32Array(0),
        }
      : {}),
  };
}

export function createSampler(model: NativeModel, config: SamplerConfig): RequestSampler {
  const native = model.createSampler();
  native.applyConfig(config);
  return {
    native,
    constrain: (grammar, generated) =>
      native.applyConfig({
        ...config,
        ...(config.repeatPenaltyTokens === undefined ? {} : { repeatPenaltyTokens: Uint32Array.from(generated) }),
        grammarEvaluationState: model.createGrammarState(grammar),
      }),
    dispose: () => native.dispose(),
  };
}
