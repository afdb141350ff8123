import { type Clock, type Fault, fault } from '#kernel';
import { retryAfterSeconds } from '../llama/timing.ts';
import type { Load, Throughput } from '../port.ts';
import { startMs } from './start-time.ts';

/** A request's place with a model, from before it is prepared until it has ended. */
export type Place = {
  free: () => void;
  /** How much of the engine's time the request has taken, which is its share of the steps, and for how much work. Before `free`. */
  worked: (activeMs: number, work: number) => void;
  /** What it is told where it waits too long all the same. */
  refusal: () => Fault;
};

/**
 * Requests that a model works on at a time, and for how long others wait at most. `maxQueue` bounds their number, and so their memory.
 * What changes is read at each request.
 */
export type Limits = { readonly sequences: number; readonly maxQueue: number; readonly maxWaitMs: number };

/** More requests than there can be: with many scopes, the second one has half as many as the first, the third one a third, and so on. */
export function mostOf({ sequences, maxQueue }: Pick<Limits, 'sequences' | 'maxQueue'>): number {
  const most = sequences + maxQueue;
  return Math.ceil(most * (Math.log(most) + 1)) + 1;
}

/**
 * The most that a request may need, in generated tokens. Reading a token of the prompt takes about a fifth of the time
 * of generating one; every call takes some time. Whatever was asked for, no more than the context holds is ever done.
 */
export function workOf(
  { promptTokens, maxTokens }: { promptTokens: number; maxTokens: number },
  context = Number.POSITIVE_INFINITY,
): number {
  return 1 + Math.min(promptTokens, context) / 5 + Math.min(maxTokens, context);
}

/** Whose request it is (an account), and how much work. */
export type Wanted = { scope: string; work: number };
/** A request that has come. `startsMs`: when it was expected to start. */
export type Entry = Wanted & { startsMs: number };

/** Few answers are as long as they may be: so much work is expected at most, unless there was more of late. */
const expectedWork = 128;
/** How much of what was known is kept when another request has ended. */
const memory = 0.95;

/**
 * Who may come in: everybody whose turn comes within the time limit. A place is taken before any work is done and kept until the
 * request ends, so nobody who was let in is refused later, and refusals cost nothing.
 *
 * Those who wait take turns by scope (an account), so a request waits only for as many of each other scope as its own has, and one
 * more. Only these count for it: one scope may have all places, and keeps no other one out.
 */
export class Admission {
  readonly #limits: Limits;
  readonly #clock: Clock;
  readonly #throughput: () => Throughput;
  #used = 0;
  readonly #entries = new Map<string, Set<Entry>>();
  /** Of ended requests: sums in which the last ones count most, and the most work of one of them. */
  #measured = { runMs: 0, work: 0, most: 0 };
  #lastUsedMs: number;

  constructor(limits: Limits, clock: Clock, throughput: () => Throughput) {
    this.#limits = limits;
    this.#clock = clock;
    this.#throughput = throughput;
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

  /** Throws `capacity_unavailable` when its turn would come too late, or more requests are ahead of it than memory is meant for. */
  enter(wanted: Wanted): Place {
    const { sequences, maxQueue, maxWaitMs } = this.#limits;
    const { scope } = wanted;
    if (this.#ahead(scope).length >= sequences + maxQueue || this.waitMs(scope) > maxWaitMs) throw this.refusal(scope);
    const entry = this.come(wanted);
    return {
      free: () => {
        if (this.go(entry)) this.#lastUsedMs = this.#clock.monotonicMs();
      },
      worked: (activeMs, work) => this.ran(activeMs * Math.min(this.#places, this.#used), work),
      refusal: () => this.refusal(scope),
    };
  }

  /** Counts a request, which leaves with `go`. */
  come({ scope, work }: Wanted): Entry {
    const entry = { scope, work, startsMs: this.#clock.monotonicMs() + this.waitMs(scope) };
    this.#used += 1;
    const own = this.#entries.get(scope);
    if (own === undefined) this.#entries.set(scope, new Set([entry]));
    else own.add(entry);
    return entry;
  }

  /** false: it has left already. */
  go(entry: Entry): boolean {
    const own = this.#entries.get(entry.scope);
    if (own?.delete(entry) !== true) return false;
    this.#used -= 1;
    if (own.size === 0) this.#entries.delete(entry.scope);
    return true;
  }

  /** Requests of a scope, those that wait included. */
  usedBy(scope: string): number {
    return this.#entries.get(scope)?.size ?? 0;
  }

  /** How long a request took for this work from its start to its end, beside as many others as the model works on at a time. */
  ran(runMs: number, work: number): void {
    const { runMs: earlierMs, work: earlier, most } = this.#measured;
    this.#measured = {
      runMs: earlierMs * memory + runMs,
      work: earlier * memory + work,
      most: Math.max(most * memory, work),
    };
  }

  /** Until a request that came now would begin to run. */
  waitMs(scope: string): number {
    if (this.#used < this.#places) return 0;
    const nowMs = this.#clock.monotonicMs();
    const left = ({ work, startsMs }: Entry) => Math.max(0, this.#runMs(work) - Math.max(0, nowMs - startsMs));
    const inOrder = this.#ahead(scope).toSorted((a, b) => a.startsMs - b.startsMs);
    return startMs(inOrder.map(left), this.#places);
  }

  refusal(scope: string): Fault {
    return fault('capacity_unavailable', { retryAfterSeconds: retryAfterSeconds(this.waitMs(scope)) });
  }

  get #places(): number {
    return Math.max(1, this.#limits.sequences);
  }

  /** Requests that begin before one of this scope that came now: those that run, and those whose turn is before its own. */
  #ahead(scope: string): Entry[] {
    const own = this.usedBy(scope);
    const ahead: Entry[] = [];
    const behind: Entry[] = [];
    for (const [other, entries] of this.#entries) {
      let place = 0;
      for (const entry of entries) {
        (other === scope || place <= own ? ahead : behind).push(entry);
        place += 1;
      }
    }
    const running = Math.min(this.#used, this.#limits.sequences);
    return ahead.length < running ? [...ahead, ...behind.slice(0, running - ahead.length)] : ahead;
  }

  #runMs(work: number): number {
    const { runMs, work: measured, most } = this.#measured;
    const expected = Math.min(work, Math.max(expectedWork, most));
    return expected * (measured > 0 ? runMs / measured : this.#throughput().decodeMsPerToken);
  }
}
