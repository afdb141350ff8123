import type { Clock } from '#kernel';
import type { Load } from '../port.ts';
import { notInstalled, stopping } from '../refusals.ts';
import { Admission, type Entry, type Wanted } from '../turns/admission.ts';
import { FairQueue } from '../turns/fair-queue.ts';
import { noRouteFault, type RoutedCall } from './prepared-calls.ts';
import { rankRoutes } from './route-ranking.ts';
import type { RouteRuntime } from './route-runtime.ts';

export type RouteQueueOptions = {
  /** Of the model, at present. */
  routes: () => readonly RouteRuntime[];
  maxQueue: number;
  capacityWaitMs: number;
  clock: Clock;
};

/** A call's share of a route's capacity. */
export type RouteSlot = { runtime: RouteRuntime; leave: () => void };

type Waiter = {
  id: number;
  scope: string;
  call: RoutedCall;
  untilMs: number;
  end: (slot: RouteSlot | null, why?: unknown) => void;
};

/** Before anything was measured. */
export const unknownPace = { prefillMsPerToken: 0.5, decodeMsPerToken: 20 };

/** How often waiting calls look whether routes came, went, or are up again; a slot that is freed is given at once. */
const serveEveryMs = 250;

/**
 * Calls that have a slot with the routes of a model, and those that wait for one, by the rules of our own engine: accounts in turn. Where a
 * route has room, a call is only counted.
 */
export class RouteQueue {
  readonly #options: RouteQueueOptions;
  readonly #admission: Admission;
  readonly #queue = new FairQueue<Waiter>();
  readonly #waiters = new Map<number, Waiter>();
  /** Queued calls by scope, also those that are prepared and do not wait yet. */
  readonly #queued = new Map<string, number>();
  #lastId = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: RouteQueueOptions) {
    this.#options = options;
    const { maxQueue, capacityWaitMs: maxWaitMs, clock } = options;
    const capacity = () => this.#capacity();
    const limits = {
      get sequences() {
        return capacity();
      },
      maxQueue,
      maxWaitMs,
    };
    this.#admission = new Admission(limits, clock, () => unknownPace);
  }

  load(): Load {
    const running = this.#options.routes().reduce((sum, { calls }) => sum + calls, 0);
    return { running, waiting: this.#queued.values().reduce((sum, count) => sum + count, 0) };
  }

  /** A call has a slot. */
  enter(call: Wanted): Entry {
    return this.#admission.come(call);
  }

  leave(entry: Entry): void {
    this.#admission.go(entry);
    this.serve();
  }

  /** How long a call took for this work from its start to its end. */
  recordRun(work: number, runMs: number): void {
    this.#admission.ran(runMs, work);
  }

  /** A place in the queue; returns how to leave it. Throws `capacity_unavailable` when the queue is full. */
  join({ scope, work }: Wanted): () => void {
    const place = this.#admission.enter({ scope, work });
    this.#count(scope, 1);
    let isQueued = true;
    return () => {
      if (!isQueued) return;
      isQueued = false;
      place.free();
      this.#count(scope, -1);
    };
  }

  /** Resolves when it is the call's turn. Rejects with the fault of `noRouteFault` when no route is left for it. */
  waitForSlot(call: RoutedCall, signal: AbortSignal): Promise<RouteSlot> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      this.#lastId += 1;
      const id = this.#lastId;
      const leave = () => waiter.end(null, signal.reason);
      const waiter: Waiter = {
        id,
        scope: call.scope,
        call,
        untilMs: this.#options.clock.monotonicMs() + this.#options.capacityWaitMs,
        end: (slot, why) => {
          this.#waiters.delete(id);
          this.#queue.remove(id);
          signal.removeEventListener('abort', leave);
          if (slot) resolve(slot);
          else reject(why);
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiters.set(id, waiter);
      this.#queue.push(waiter);
      this.serve();
      this.#startTimer();
    });
  }

  /** Gives waiting calls the slots that are free; to be called before another call looks for one. */
  serve(): void {
    if (this.#waiters.size === 0) return;
    const runtimes = this.#options.routes();
    const running = (scope: string) => this.#admission.usedBy(scope) - (this.#queued.get(scope) ?? 0);
    const mayBegin = ({ call }: Waiter) => runtimes.some((each) => each.hasRoom && mayTake(each, call));
    while (runtimes.some(({ hasRoom, isOpen }) => hasRoom && isOpen)) {
      const next = this.#queue.shift(running, mayBegin);
      if (next === null) break;
      next.end(this.#enterBest(runtimes, next.call));
    }
    const nowMs = this.#options.clock.monotonicMs();
    for (const waiter of this.#waiters.values()) {
      const { call, scope, untilMs } = waiter;
      if (!runtimes.some((each) => mayTake(each, call))) waiter.end(null, refusalOf(call, runtimes));
      else if (untilMs <= nowMs) waiter.end(null, this.#admission.refusal(scope));
    }
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    for (const waiter of this.#waiters.values()) waiter.end(null, stopping());
  }

  #enterBest(runtimes: readonly RouteRuntime[], call: RoutedCall): RouteSlot | null {
    const able = runtimes.filter((each) => mayTake(each, call));
    const [best] = rankRoutes(able.map((each) => each.candidate(call.prefix, call.adapter)));
    return best ? { runtime: best.runtime, leave: best.runtime.enter(call, this) } : null;
  }

  #startTimer(): void {
    if (this.#waiters.size === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.serve();
      this.#startTimer();
    }, serveEveryMs);
  }

  #count(scope: string, change: number): void {
    const count = (this.#queued.get(scope) ?? 0) + change;
    if (count === 0) this.#queued.delete(scope);
    else this.#queued.set(scope, count);
  }

  #capacity(): number {
    return this.#options.routes().reduce((sum, { isOpen, route }) => sum + (isOpen ? route.capacity : 0), 0);
  }
}

/** Whether a call may have a slot there, once there is room. */
export function mayTake(runtime: RouteRuntime, { adapter, tried }: RoutedCall): boolean {
  return runtime.isOpen && (adapter === null || runtime.adapters !== null) && tried?.has(runtime) !== true;
}

function refusalOf(call: RoutedCall, runtimes: readonly RouteRuntime[]) {
  const isServed = runtimes.some(({ adapters }) => call.adapter === null || adapters !== null);
  return isServed ? noRouteFault(call, runtimes) : notInstalled(call.baseModelId);
}
