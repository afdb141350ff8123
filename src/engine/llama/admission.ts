import { type Clock, type Fault, fault } from '#kernel';
import type { Load, Pace } from '../port.ts';
import { retryAfterSeconds, smooth } from './timing.ts';

/** A request's place with a model, from before it is prepared until it has ended. */
export type Place = { free: () => void };

/** Tokens each way of a request, as long as none was measured. */
const guessedTokens = 128;

/**
 * Who may come in. A model has as many places as sequences plus a bounded queue. A place is taken before any work is
 * done and kept until the request ends, so nobody who was let in is refused later, and refusals cost nothing.
 */
export class Admission {
  readonly #limits: { sequences: number; maxQueue: number; maxWaitMs: number };
  readonly #clock: Clock;
  readonly #pace: () => Pace;
  #used = 0;
  #activeMs: number | null = null;
  #lastUsedMs: number;

  constructor(limits: { sequences: number; maxQueue: number; maxWaitMs: number }, clock: Clock, pace: () => Pace) {
    this.#limits = limits;
    this.#clock = clock;
    this.#pace = pace;
    this.#lastUsedMs = clock.monotonicMs();
  }

  get lastUsedMs(): number {
    return this.#lastUsedMs;
  }

  get used(): number {
    return this.#used;
  }

  /** The places that are taken, by what their calls do. */
  load(): Load {
    const running = Math.min(this.#used, this.#limits.sequences);
    return { running, waiting: this.#used - running };
  }

  /** Throws `capacity_unavailable` when the queue is full, or so long that the wait would be too. */
  enter(): Place {
    const { sequences, maxQueue, maxWaitMs } = this.#limits;
    if (this.#used >= sequences + maxQueue || this.waitMs() > maxWaitMs) throw this.refusal();
    this.#used += 1;
    let taken = true;
    return {
      free: () => {
        if (!taken) return;
        taken = false;
        this.#used -= 1;
        this.#lastUsedMs = this.#clock.monotonicMs();
      },
    };
  }

  /** A request's share of the engine's time; the shares of all requests add up to that time. */
  worked(activeMs: number): void {
    this.#activeMs = smooth(this.#activeMs, activeMs);
  }

  /** Until a request that came now would begin to run: the work of those ahead of it, less what runs beside it. */
  waitMs(): number {
    const ahead = Math.max(0, this.#used - this.#limits.sequences + 1);
    return ahead * (this.#activeMs ?? this.#guessedActiveMs());
  }

  refusal(): Fault {
    return fault('capacity_unavailable', { retryAfterSeconds: retryAfterSeconds(this.waitMs()) });
  }

  #guessedActiveMs(): number {
    const pace = this.#pace();
    return guessedTokens * (pace.prefillMsPerToken + pace.decodeMsPerToken);
  }
}
