import type { Throughput } from '../port.ts';
import type { NativeContext, Token } from './binding.ts';
import type { Generation } from './generation.ts';
import type { FromChild } from './protocol.ts';
import type { BatchStep } from './scheduler.ts';
import { smooth } from './timing.ts';

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

export type SamplingOutput = { generation: Generation; batchIndex: number };

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

/** Steps with fewer prompt tokens say little about the throughput of prompts. */
const leastPromptTokens = 8;
const reportMs = 1000;

/** Measures the throughput of a model from its steps, and reports it about once a second while it works. */
export class ThroughputMeter {
  readonly #send: (message: Extract<FromChild, { type: 'throughput' }>) => void;
  #prefillMs: number | null = null;
  #decodeMs: number | null = null;
  #reportedAt = 0;

  constructor(send: (message: Extract<FromChild, { type: 'throughput' }>) => void) {
    this.#send = send;
  }

  get throughput(): Throughput {
    return {
      prefillMsPerToken: this.#prefillMs ?? this.#decodeMs ?? 0,
      decodeMsPerToken: this.#decodeMs ?? this.#prefillMs ?? 0,
    };
  }

  /**
   * Tokens of a prompt that take as long as a step without any: beside others who write, a prompt has half of the time, however
   * long it is, so that their next token takes twice as long at most.
   */
  get fairPrompt(): number {
    if (this.#decodeMs === null || this.#prefillMs === null) return Number.POSITIVE_INFINITY;
    return Math.max(leastPromptTokens, Math.floor(this.#decodeMs / Math.max(this.#prefillMs, 1e-6)));
  }

  /** Decoding is measured per step, not per token: what one stream waits for its next token. */
  step(step: Pick<BatchStep, 'tokens' | 'promptTokens'>, ms: number): void {
    if (step.promptTokens === 0) this.#decodeMs = smooth(this.#decodeMs, ms);
    else if (step.promptTokens >= leastPromptTokens || this.#prefillMs === null) {
      const others = step.tokens > step.promptTokens ? (this.#decodeMs ?? 0) : 0;
      this.#prefillMs = smooth(this.#prefillMs, Math.max(0, ms - others) / step.promptTokens);
    }
  }

  report(nowMs: number): void {
    if (nowMs - this.#reportedAt < reportMs) return;
    this.#reportedAt = nowMs;
    this.#send({ type: 'throughput', ...this.throughput });
  }
}
