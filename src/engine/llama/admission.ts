import { type Clock, type Fault, fault } from '#kernel';
import type { Load, Pace } from '../port.ts';
import { retryAfterSeconds, smooth } from './timing.ts';

/** A request's place with a model, from before it is prepared until it has ended. */
export type Place = { free: () => void };

/** More requests than there can be: with many scopes, the second one has half as many as the first, the third one a third, and so on. */
export function mostOf({ sequences, maxQueue }: { sequences: number; maxQueue: number }): number {
  const most = sequences + maxQueue;
  return Math.ceil(most * (Math.log(most) + 1)) + 1;
}

/** Tokens each way of a request, as long as none was measured. */
const guessedTokens = 128;

/**
 * Who may come in. A model has as many places as sequences plus a bounded queue. A place is taken before any work is
 * done and kept until the request ends, so nobody who was let in is refused later, and refusals cost nothing.
 *
 * Those who wait take turns by scope (an account), so a request waits only for as many of each other scope as its own has, and one
 * more. Only these count for it: one scope may have all places, and keeps no other one out.
 */
export class Admission {
  readonly #limits: { sequences: number; maxQueue: number; maxWaitMs: number };
  readonly #clock: Clock;
  readonly #pace: () => Pace;
  #used = 0;
  readonly #usedBy = new Map<string, number>();
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

  /** Throws `capacity_unavailable` when the queue ahead of it is full, or so long that the wait would be too. */
  enter(scope = ''): Place {
    const { sequences, maxQueue, maxWaitMs } = this.#limits;
    if (this.#ahead(scope) >= sequences + maxQueue || this.waitMs(scope) > maxWaitMs) throw this.refusal(scope);
    this.#count(scope, 1);
    let taken = true;
    return {
      free: () => {
        if (!taken) return;
        taken = false;
        this.#count(scope, -1);
        this.#lastUsedMs = this.#clock.monotonicMs();
      },
    };
  }

  /** A request's share of the engine's time; the shares of all requests add up to that time. */
  worked(activeMs: number): void {
    this.#activeMs = smooth(this.#activeMs, activeMs);
  }

  /** Until a request that came now would begin to run: the work of those ahead of it, less what runs beside it. */
  waitMs(scope = ''): number {
    const ahead = Math.max(0, this.#ahead(scope) - this.#limits.sequences + 1);
    return ahead * (this.#activeMs ?? this.#guessedActiveMs());
  }

  refusal(scope = ''): Fault {
    return fault('capacity_unavailable', { retryAfterSeconds: retryAfterSeconds(this.waitMs(scope)) });
  }

  /** Requests that begin before one of this scope that came now: those that run, and those whose turn is before its own. */
  #ahead(scope: string): number {
    const own = this.#usedBy.get(scope) ?? 0;
    let ahead = own;
    for (const [other, used] of this.#usedBy) if (other !== scope) ahead += Math.min(used, own + 1);
    return Math.max(ahead, Math.min(this.#used, this.#limits.sequences));
  }

  #count(scope: string, change: number): void {
    this.#used += change;
    const used = (this.#usedBy.get(scope) ?? 0) + change;
    if (used === 0) this.#usedBy.delete(scope);
    else this.#usedBy.set(scope, used);
  }

  #guessedActiveMs(): number {
    const pace = this.#pace();
    return guessedTokens * (pace.prefillMsPerToken + pace.decodeMsPerToken);
  }
}
