import { type Clock, type Fault, fault } from '#kernel';
import type { Load, Throughput } from '../port.ts';
import { retryAfterSeconds } from './timing.ts';

/** A request's place with a model, from before it is prepared until it has ended. */
export type AdmittedRequest = {
  free: () => void;
  /** How much of the engine's time the request has taken, which is its share of the steps, and for how much work. Before `free`. */
  worked: (activeMs: number, work: number) => void;
  /** Of a request that waits too long all the same. */
  refusal: () => Fault;
};

/**
 * Requests that a model works on at a time, and for how long others wait at most. `maxQueue` bounds their number, and so their memory.
 * What changes is read at each request.
 */
type AdmissionLimits = { readonly sequences: number; readonly maxQueue: number; readonly maxWaitMs: number };

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

type Request = { scope: string; work: number };
/** A request that has come. `startsMs`: when it was expected to start. */
type Entry = Request & { startsMs: number };

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
  readonly #limits: () => AdmissionLimits;
  readonly #clock: Clock;
  readonly #throughput: () => Throughput;
  #used = 0;
  readonly #entries = new Map<string, Set<Entry>>();
  /** Of ended requests: sums in which the last ones count most, and the most work of one of them. */
  #measured = { runMs: 0, work: 0, most: 0 };
  #lastUsedMs: number;

  constructor(limits: () => AdmissionLimits, clock: Clock, throughput: () => Throughput) {
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

  load(): Load {
    const running = Math.min(this.#used, this.#limits().sequences);
    return { running, waiting: this.#used - running };
  }

  /** Throws `capacity_unavailable` when its turn would come too late, or more requests are ahead of it than memory is meant for. */
  enter(request: Request): AdmittedRequest {
    const { sequences, maxQueue, maxWaitMs } = this.#limits();
    const { scope } = request;
    if (this.#ahead(scope).length >= sequences + maxQueue || this.waitMs(scope) > maxWaitMs) throw this.refusal(scope);
    const entry = this.#add(request);
    return {
      free: () => {
        if (this.#remove(entry)) this.#lastUsedMs = this.#clock.monotonicMs();
      },
      worked: (activeMs, work) => this.ran(activeMs * Math.min(this.#places, this.#used), work),
      refusal: () => this.refusal(scope),
    };
  }

  #add({ scope, work }: Request): Entry {
    const entry = { scope, work, startsMs: this.#clock.monotonicMs() + this.waitMs(scope) };
    this.#used += 1;
    const own = this.#entries.get(scope);
    if (own === undefined) this.#entries.set(scope, new Set([entry]));
    else own.add(entry);
    return entry;
  }

  #remove(entry: Entry): boolean {
    const own = this.#entries.get(entry.scope);
    if (own?.delete(entry) !== true) return false;
    this.#used -= 1;
    if (own.size === 0) this.#entries.delete(entry.scope);
    return true;
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
    return Math.max(1, this.#limits().sequences);
  }

  /** Requests that begin before one of this scope that came now: those that run, and those whose turn is before its own. */
  #ahead(scope: string): Entry[] {
    const own = this.#entries.get(scope)?.size ?? 0;
    const ahead: Entry[] = [];
    const behind: Entry[] = [];
    for (const [other, entries] of this.#entries) {
      let place = 0;
      for (const entry of entries) {
        (other === scope || place <= own ? ahead : behind).push(entry);
        place += 1;
      }
    }
    const running = Math.min(this.#used, this.#limits().sequences);
    return ahead.length < running ? [...ahead, ...behind.slice(0, running - ahead.length)] : ahead;
  }

  #runMs(work: number): number {
    const { runMs, work: measured, most } = this.#measured;
    const expected = Math.min(work, Math.max(expectedWork, most));
    return expected * (measured > 0 ? runMs / measured : this.#throughput().decodeMsPerToken);
  }
}

/**
 * When a request can start, in ms from now: requests ahead of it, given in their order by how long they still run, are started one
 * after the other, each as soon as one of the places is free. Pure.
 */
export function startMs(aheadMs: readonly number[], places: number): number {
  // When each place is free again.
  const freeAt = aheadMs.slice(0, places).toSorted((a, b) => a - b);
  if (freeAt.length < places) return 0;
  for (const runMs of aheadMs.slice(places)) insert(freeAt, (freeAt.shift() ?? 0) + runMs);
  return freeAt[0] ?? 0;
}

function insert(sorted: number[], value: number): void {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] ?? 0) <= value) from = middle + 1;
    else to = middle;
  }
  sorted.splice(from, 0, value);
}
