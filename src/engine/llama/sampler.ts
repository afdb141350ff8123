import type { Sampling } from '../port.ts';
import type { NativeGrammar, NativeGrammarState, NativeModel, NativeSampler, SamplerConfig, Token } from './binding.ts';
import { concatenate } from './input-frame.ts';
import type { CharacterRules, TokenBias } from './vocabulary.ts';

/**
 * The native sampler of one request. Its order is fixed: rules of characters and biases, penalties, top-k, top-p, min-p, temperature, draw. The
 * grammar stands in front of them where the token that was drawn without it does not fit.
 */
export type RequestSampler = {
  /** From its first use on it is this request's, until that disposes of it. */
  readonly native: NativeSampler;
  /** Before its first use, because it takes some time. Throws where the grammar cannot be used. */
  makeReady: () => void;
  /** From the next token on the output must match. `generated`: the tokens that penalties count; more are added as they are written. */
  constrain: (grammar: NativeGrammar, generated: readonly Token[]) => void;
  /**
   * The same from within a text of the grammar, behind `begun` and the token that was drawn last. false: that token does not fit
   * there, and is to be drawn again.
   */
  constrainWithin: (
    grammar: NativeGrammar,
    at: { begun: readonly Token[]; token: Token; generated: readonly Token[] },
  ) => boolean;
  wrote: (token: Token) => void;
  dispose: () => void;
};

/** llama.cpp takes this seed for "draw one yourself". No request has it. */
const reservedSeed = 0xffffffff;

/** Any safe integer to the 32 bits of the native generator. */
export function nativeSeed(seed: number): number {
  const folded = ((seed >>> 0) ^ (Math.floor(seed / 2 ** 32) >>> 0)) >>> 0;
  return folded === reservedSeed ? reservedSeed - 1 : folded;
}

const noKeys = new Uint32Array(0);
const noValues = new Float32Array(0);

/** The native sampler keeps top-k in 32 bits; no vocabulary is as large. */
const mostTopK = 2 ** 31 - 1;

/**
 * Everything but the grammar. Greedy where the temperature or top-p is 0, or top-k is 1. `promptTokens`: those that a repetition penalty
 * counts.
 */
export function samplerConfig(
  sampling: Sampling,
  { randomSeed, promptTokens }: { randomSeed: number; promptTokens: Uint32Array },
): SamplerConfig {
  const { topK = null, minP = 0, repetitionPenalty = 1, logitBias = [] } = sampling;
  const greedy = sampling.temperature === 0 || sampling.topP === 0 || topK === 1;
  const counted = repetitionPenalty === 1 ? new Uint32Array(0) : promptTokens;
  return {
    temperature: greedy ? 0 : sampling.temperature,
    ...(greedy || sampling.topP >= 1 ? {} : { topP: sampling.topP }),
    ...(greedy || topK === null ? {} : { topK: Math.min(topK, mostTopK) }),
    ...(greedy || minP === 0 ? {} : { minP }),
    ...(logitBias.length === 0
      ? {}
      : {
          tokenBiasKeys: Uint32Array.from(logitBias, ({ token }) => token),
          tokenBiasValues: Float32Array.from(logitBias, ({ bias }) => bias),
        }),
    seed: nativeSeed(sampling.seed ?? randomSeed),
    ...(isPenalised(sampling)
      ? {
          repeatPenalty: repetitionPenalty,
          repeatPenaltyPresencePenalty: sampling.presencePenalty,
          repeatPenaltyFrequencyPenalty: sampling.frequencyPenalty,
          // The native sampler forgets tokens further back than this; none may be forgotten.
          repeatPenaltyMaxTokens: Math.max(1, counted.length + sampling.maxTokens),
          repeatPenaltyTokens: counted,
        }
      : {}),
  };
}

export function isPenalised({ presencePenalty, frequencyPenalty, repetitionPenalty = 1 }: Sampling): boolean {
  return presencePenalty !== 0 || frequencyPenalty !== 0 || repetitionPenalty !== 1;
}

type SamplerModel = Pick<NativeModel, 'createSampler' | 'createGrammarState' | 'advanceGrammar'>;

/**
 * The samplers of a model. A native one has room for its whole vocabulary, 2 MB with 150,000 tokens, and gives that back only
 * when V8 collects it, which sees a few bytes and lets hundreds wait. So they are used again, and there are as many as
 * requests have ever run at a time: one that waits for its turn has none.
 */
export class Samplers {
  readonly #model: SamplerModel;
  readonly #rules: CharacterRules;
  readonly #resting: NativeSampler[] = [];

  constructor(model: SamplerModel, rules: CharacterRules) {
    this.#model = model;
    this.#rules = rules;
  }

  of(config: SamplerConfig): RequestSampler {
    let currentConfig = (): SamplerConfig => config;
    let native: NativeSampler | null = null;
    let isOver = false;
    let bias: TokenBias | null = null;
    let history: readonly Token[] = [];
    const taken = (): NativeSampler => {
      if (native !== null) return native;
      if (isOver) throw new Error('The sampler of a request that is over was asked for. This is a bug.');
      const found = this.#resting.pop() ?? this.#model.createSampler();
      found.applyConfig(currentConfig());
      native = found;
      return found;
    };
    const match = (makeState: () => NativeGrammarState, generated: readonly Token[]): void => {
      let state: NativeGrammarState | null = null;
      const first = this.#rules.behind(null);
      bias = first;
      history = generated;
      currentConfig = () => {
        state ??= makeState();
        const { keys, values } = bias ?? first;
        const { repeatPenaltyTokens: counted, tokenBiasKeys = noKeys, tokenBiasValues = noValues } = config;
        return {
          ...config,
          ...(counted === undefined ? {} : { repeatPenaltyTokens: concatenate([counted, Uint32Array.from(history)]) }),
          // A token may stand there twice, and gets both: whatever is added to a score of minus infinity, it stays there.
          ...(keys.length === 0
            ? {}
            : {
                tokenBiasKeys: concatenate([tokenBiasKeys, keys]),
                tokenBiasValues: Float32Array.from([...tokenBiasValues, ...values]),
              }),
          grammarEvaluationState: state,
        };
      };
      native?.applyConfig(currentConfig());
    };
    return {
      get native() {
        return taken();
      },
      makeReady: () => void taken(),
      // A state takes up to 10 MB: a request that waits has none either.
      constrain: (grammar, generated) => match(() => this.#model.createGrammarState(grammar), generated),
      constrainWithin: (grammar, { begun, token, generated }) => {
        const state = this.#model.createGrammarState(grammar);
        for (const earlier of begun) this.#model.advanceGrammar(state, earlier);
        const fits = this.#rules.allows(token) && this.#model.advanceGrammar(state, token);
        match(() => state, fits ? [...generated, token] : generated);
        history = generated;
        return fits;
      },
      wrote: (token) => {
        if (bias === null) return;
        const next = this.#rules.behind(token);
        if (next === bias) return;
        bias = next;
        native?.applyConfig(currentConfig());
      },
      dispose: () => {
        isOver = true;
        if (native === null) return;
        // Nothing of this request stays: no grammar, no token that was counted, no place in a row of random numbers.
        native.applyConfig({ temperature: 0, seed: reservedSeed });
        this.#resting.push(native);
        native = null;
      },
    };
  }

  close(): void {
    for (const native of this.#resting.splice(0)) native.dispose();
  }
}
