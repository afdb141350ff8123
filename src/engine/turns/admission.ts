import { type Clock, type Fault, fault } from '#kernel';
import { retryAfterSeconds, smooth } from '../llama/timing.ts';
import type { Load, Pace } from '../port.ts';

/** A request's place with a model, from before it is prepared until it has ended. */
export type Place = { free: () => void };

/** Requests that a model works on at a time, those that wait at most, and for how long. What changes is read at each request. */
export type Limits = { readonly sequences: number; readonly maxQueue: number; readonly maxWaitMs: number };

/** Of a model, unless the operator says something else. */
export const defaultWaiting = { maxQueue: 64, capacityWaitMs: 55_000 };

/** More requests than there can be: with many scopes, the second one has half as many as the first, the third one a third, and so on. */
export function mostOf({ sequences, maxQueue }: Pick<Limits, 'sequences' | 'maxQueue'>): number {
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
  readonly #limits: Limits;
  readonly #clock: Clock;
  readonly #pace: () => Pace;
  #used = 0;
  readonly #usedBy = new Map<string, number>();
  #activeMs: number | null = null;
  #lastUsedMs: number;

  constructor(limits: Limits, clock: Clock, pace: () => Pace) {
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
    this.come(scope);
    let taken = true;
    return {
      free: () => {
        if (!taken) return;
        taken = false;
        this.go(scope);
        this.#lastUsedMs = this.#clock.monotonicMs();
      },
    };
  }

  /** Counts a request that finds a free sequence, and so is never refused; it leaves with `go`. */
  come(scope: string): void {
    this.#used += 1;
    this.#usedBy.set(scope, this.usedBy(scope) + 1);
  }

  go(scope: string): void {
    this.#used -= 1;
    const used = this.usedBy(scope) - 1;
    if (used === 0) this.#usedBy.delete(scope);
    else this.#usedBy.set(scope, used);
  }

  /** Requests of a scope, those that wait included. */
  usedBy(scope: string): number {
    return this.#usedBy.get(scope) ?? 0;
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
    const own = this.usedBy(scope);
    let ahead = own;
    for (const [other, used] of this.#usedBy) if (other !== scope) ahead += Math.min(used, own + 1);
    return Math.max(ahead, Math.min(this.#used, this.#limits.sequences));
  }

  #guessedActiveMs(): number {
    const pace = this.#pace();
    return guessedTokens * (pace.prefillMsPerToken + pace.decodeMsPerToken);
  }
}
