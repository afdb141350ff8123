import type { Throughput } from '../port.ts';
import type { FromChild } from './protocol.ts';
import type { BatchStep } from './scheduler.ts';
import { smooth } from './timing.ts';

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

  report(nowMs: number, load: { queued: number; running: number }): void {
    if (nowMs - this.#reportedAt < reportMs) return;
    this.#reportedAt = nowMs;
    this.#send({ type: 'throughput', ...this.throughput, ...load });
  }
}
