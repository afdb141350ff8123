import type { TokenLogprob, TokenProbability } from '../port.ts';
import type { NativeContext, NativeModel, NativeSampler, Token } from './binding.ts';
import type { Vocabulary } from './vocabulary.ts';

/** JSON has no minus infinity; OpenAI writes this for what is next to impossible. */
const leastLogprob = -9999;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Log probabilities of a model's own output. Samplers without any setting read them, because that of the request leaves out what it does
 * not draw from. One call at a time.
 */
export class LogprobReader {
  readonly #model: Pick<NativeModel, 'createSampler' | 'addon'>;
  readonly #vocabulary: Pick<Vocabulary, 'bytesOf'>;
  #greedy: NativeSampler | null = null;
  #likeliest: NativeSampler | null = null;

  constructor(model: Pick<NativeModel, 'createSampler' | 'addon'>, vocabulary: Pick<Vocabulary, 'bytesOf'>) {
    this.#model = model;
    this.#vocabulary = vocabulary;
  }

  /** Of the token, and of so many of the likeliest, at a place of the batch that was decoded last. */
  async read(context: NativeContext, { batchIndex, token, top }: ReadToken): Promise<TokenLogprob> {
    this.#greedy ??= this.#model.createSampler();
    const greedy = this.#greedy;
    greedy.applyConfig({ temperature: 0, seed: 0 });
    // `selected`: the likeliest token, whose score the weights are relative to.
    const [, , , scores, weight] = await context.sampleToken(
      batchIndex,
      greedy,
      false,
      false,
      [[token], false, false, true, 0],
      true,
    );
    const pairs = pairsOf(scores);
    const most = Math.max(...pairs.map(({ score }) => score));
    const normaliser = most + Math.log(weight);
    const logprobOf = (score: number) => Math.max(leastLogprob, Math.min(0, score - normaliser));
    const own = pairs.find((pair) => pair.token === token)?.score ?? Number.NEGATIVE_INFINITY;
    const ranked = top === 0 ? [] : await this.#top(context, batchIndex, top);
    return {
      ...this.#named(token, logprobOf(own)),
      top: ranked.map((each) => this.#named(each.token, logprobOf(each.score))),
    };
  }

  close(): void {
    this.#greedy?.dispose();
    this.#likeliest?.dispose();
  }

  async #top(context: NativeContext, batchIndex: number, top: number) {
    this.#likeliest ??= this.#model.createSampler();
    const likeliest = this.#likeliest;
    likeliest.applyConfig({ temperature: 1, topK: top, seed: 0 });
    const [, , , scores] = await context.sampleToken(batchIndex, likeliest, false, false, true);
    return pairsOf(scores).toSorted((a, b) => b.score - a.score);
  }

  /** Control tokens have no bytes in an answer; here they go by their names. */
  #named(token: Token, logprob: number): TokenProbability {
    const shown = this.#vocabulary.bytesOf(token);
    const bytes = shown.length > 0 ? shown : encoder.encode(this.#model.addon.getTokenString(token) ?? '');
    return { token: decoder.decode(bytes), logprob, bytes: [...bytes] };
  }
}

type ReadToken = { batchIndex: number; token: Token; top: number };

/** Tokens and scores in turn. */
function pairsOf(scores: readonly number[]): { token: Token; score: number }[] {
  return Array.from({ length: scores.length / 2 }, (_, at) => ({
    token: scores[2 * at] ?? 0,
    score: scores[2 * at + 1] ?? Number.NEGATIVE_INFINITY,
  }));
}
