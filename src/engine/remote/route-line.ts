import type { Clock } from '#kernel';
import type { Load } from '../port.ts';
import { notInstalled, stopping } from '../refusals.ts';
import { Admission, type Entry, type Wanted } from '../turns/admission.ts';
import { FairQueue } from '../turns/fair-queue.ts';
import { rankRoutes } from './choose-route.ts';
import type { RouteRuntime } from './route-runtime.ts';
import { noRoute, type RoutedCall } from './routed-call.ts';

export type LineOptions = {
  /** Of the model, at present. */
  routes: () => readonly RouteRuntime[];
  maxQueue: number;
  capacityWaitMs: number;
  clock: Clock;
};

/** A route's place for a call. */
export type Turn = { runtime: RouteRuntime; leave: () => void };

type Waiter = {
  id: number;
  scope: string;
  call: RoutedCall;
  untilMs: number;
  end: (turn: Turn | null, why?: unknown) => void;
};

/** Before anything was measured. */
export const unknownPace = { prefillMsPerToken: 0.5, decodeMsPerToken: 20 };

/** How often those who wait look whether routes came, went, or answer again; a place that is freed is theirs at once. */
const lookEveryMs = 250;

/**
 * Who has a place with the routes of a model, and who waits for one: by the rules of our own engine, accounts in turn. Where a route
 * has room, a call is only counted.
 */
export class RouteLine {
  readonly #options: LineOptions;
  readonly #admission: Admission;
  readonly #queue = new FairQueue<Waiter>();
  readonly #waiters = new Map<number, Waiter>();
  /** Calls that have a place in line and none with a route, by scope. */
  readonly #inLine = new Map<string, number>();
  #waiting = 0;
  #last = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: LineOptions) {
    this.#options = options;
    const { maxQueue, capacityWaitMs: maxWaitMs, clock } = options;
    const capacity = () => this.#capacity();
    const limits = {
      get sequences() {
        return capacity();
      },
      ...{ maxQueue, maxWaitMs },
    };
    this.#admission = new Admission(limits, clock, () => unknownPace);
  }

  load(): Load {
    return { running: this.#options.routes().reduce((sum, { calls }) => sum + calls, 0), waiting: this.#waiting };
  }

  /** A call has its place with a route. */
  came(call: Wanted): Entry {
    return this.#admission.come(call);
  }

  left(entry: Entry): void {
    this.#admission.go(entry);
    this.goOn();
  }

  /** How long a call took for this work from its start to its end. */
  ran(work: number, runMs: number): void {
    this.#admission.ran(runMs, work);
  }

  /** Gives those who wait what is free; to be called before somebody else looks for a place. */
  goOn(): void {
    if (this.#waiters.size > 0) this.#serve();
  }

  /** A place in line; returns how to leave it. Throws `capacity_unavailable` when the line is full. */
  join({ scope, work }: Wanted): () => void {
    const place = this.#admission.enter({ scope, work });
    this.#count(scope, 1);
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      place.free();
      this.#count(scope, -1);
    };
  }

  /** Resolves when it is the call's turn. Rejects with what it would be told at once when no route is left for it. */
  turn(call: RoutedCall, signal: AbortSignal): Promise<Turn> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      this.#last += 1;
      const id = this.#last;
      const leave = () => waiter.end(null, signal.reason);
      const waiter: Waiter = {
        ...{ id, scope: call.scope, call },
        untilMs: this.#options.clock.monotonicMs() + this.#options.capacityWaitMs,
        end: (turn, why) => {
          this.#waiters.delete(id);
          this.#queue.remove(id);
          signal.removeEventListener('abort', leave);
          if (turn) resolve(turn);
          else reject(why);
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiters.set(id, waiter);
      this.#queue.push(waiter);
      this.#serve();
      this.#watch();
    });
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    for (const waiter of this.#waiters.values()) waiter.end(null, stopping());
  }

  #serve(): void {
    const runtimes = this.#options.routes();
    const running = (scope: string) => this.#admission.usedBy(scope) - (this.#inLine.get(scope) ?? 0);
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

  #enterBest(runtimes: readonly RouteRuntime[], call: RoutedCall): Turn | null {
    const able = runtimes.filter((each) => mayTake(each, call));
    const [best] = rankRoutes(able.map((each) => each.candidate(call.prefix, call.adapter)));
    return best ? { runtime: best.runtime, leave: best.runtime.enter(call, this) } : null;
  }

  #watch(): void {
    if (this.#waiters.size === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.goOn();
      this.#watch();
    }, lookEveryMs);
  }

  #count(scope: string, change: number): void {
    this.#waiting += change;
    const count = (this.#inLine.get(scope) ?? 0) + change;
    if (count === 0) this.#inLine.delete(scope);
    else this.#inLine.set(scope, count);
  }

  #capacity(): number {
    return this.#options.routes().reduce((sum, { isOpen, route }) => sum + (isOpen ? route.capacity : 0), 0);
  }
}

/** Whether a call may have its turn there, once there is room. */
export function mayTake(runtime: RouteRuntime, { adapter, tried }: RoutedCall): boolean {
  return runtime.isOpen && (adapter === null || runtime.adapters !== null) && tried?.has(runtime) !== true;
}

function refusalOf(call: RoutedCall, runtimes: readonly RouteRuntime[]) {
  const isServed = runtimes.some(({ adapters }) => call.adapter === null || adapters !== null);
  return isServed ? noRoute(call, runtimes) : notInstalled(call.baseModelId);
}
