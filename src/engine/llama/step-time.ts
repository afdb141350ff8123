import type { NativeContext, Token } from './binding.ts';
import type { Generation } from './generation.ts';

/**
 * Divides the time of a step among its requests. What is done for one request alone, such as drawing its token by a grammar, is its own;
 * the rest is shared by tokens. All shares together are the time of the step. `now` is monotonic, in milliseconds.
 */
export class StepTime {
  readonly #now: () => number;
  readonly #own = new Map<number, number>();
  #sharedMs = 0;
  #markMs: number;

  constructor(now: () => number) {
    this.#now = now;
    this.#markMs = now();
  }

  get totalMs(): number {
    return [...this.#own.values()].reduce((sum, ms) => sum + ms, this.#sharedMs);
  }

  /** What was done since the last mark was done for all. */
  shared(): void {
    this.#sharedMs += this.#mark();
  }

  /** What was done since the last mark was done for this request. */
  ownOf(requestId: number): void {
    this.#own.set(requestId, (this.#own.get(requestId) ?? 0) + this.#mark());
  }

  /** The share of a request that has so many of the step's tokens. */
  shareOf(requestId: number, tokens: { own: number; all: number }): number {
    return (this.#own.get(requestId) ?? 0) + (this.#sharedMs / tokens.all) * tokens.own;
  }

  #mark(): number {
    const nowMs = this.#now();
    const ms = nowMs - this.#markMs;
    this.#markMs = nowMs;
    return ms;
  }
}

/** A place in a batch from which a request draws its next token. */
export type SamplingOutput = { generation: Generation; batchIndex: number };

/** No token fits. */
export const noToken: Token = -1;

/** How long it takes is the request's own time. A sampler fails where the grammar allows no token. */
export async function sample(
  context: NativeContext,
  { generation, batchIndex }: SamplingOutput,
  time: StepTime,
): Promise<Token> {
  try {
    return await context.sampleToken(batchIndex, generation.sampler.native);
  } catch {
    return noToken;
  } finally {
    time.ownOf(generation.id);
  }
}
