import { type Clock, type Fault, fault } from '#kernel';
import { FairQueue } from '../fair-queue.ts';
import { retryAfterSeconds } from '../llama/timing.ts';
import { notInstalled, stopping } from '../refusals.ts';
import { type RoutedCall, type RouteRefusal, type RouteRuntime, rankRoutes } from './route-runtime.ts';

export type RouteQueueOptions = {
  routes: () => readonly RouteRuntime[];
  maxQueue: number;
  capacityWaitMs: number;
  clock: Clock;
};

export type WaitingCall = RoutedCall & { refusal: RouteRefusal | null };

type Waiter = {
  id: number;
  scope: string;
  call: WaitingCall;
  untilMs: number;
  resolve: (runtime: RouteRuntime) => void;
  reject: (error: unknown) => void;
};

/** How often waiting calls look whether routes came, went, or are up again; a slot that is freed is given at once. */
const serveEveryMs = 250;

/**
 * Calls that wait for a slot with the routes of a model: accounts in turn. A call is refused at once where its turn would come too late,
 * or where too many are ahead of it; of each other account only as many are as its own has, and one more, so that none keeps another out.
 */
export class RouteQueue {
  readonly #options: RouteQueueOptions;
  readonly #queue = new FairQueue<Waiter>();
  readonly #waiters = new Map<number, Waiter>();
  #lastId = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: RouteQueueOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#waiters.size;
  }

  /** The route that takes the call when it is its turn. Throws `capacity_unavailable`, or the signal's reason. */
  async waitForSlot(call: WaitingCall, signal: AbortSignal): Promise<RouteRuntime> {
    signal.throwIfAborted();
    const { maxQueue, capacityWaitMs, clock } = this.#options;
    const ahead = this.#ahead(call.scope);
    if (ahead >= maxQueue || this.#waitMs(ahead) > capacityWaitMs) throw this.#refusal(call.scope);
    const { promise, resolve, reject } = Promise.withResolvers<RouteRuntime>();
    this.#lastId += 1;
    const id = this.#lastId;
    const untilMs = clock.monotonicMs() + capacityWaitMs;
    const waiter: Waiter = { id, scope: call.scope, call, untilMs, resolve, reject };
    const leave = () => this.#end(waiter, signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    this.#waiters.set(id, waiter);
    this.#queue.push(waiter);
    this.serve();
    this.#startTimer();
    return promise.finally(() => signal.removeEventListener('abort', leave));
  }

  /** Gives waiting calls the slots that are free; to be called before another call looks for one. */
  serve(): void {
    if (this.#waiters.size === 0) return;
    const runtimes = this.#options.routes();
    const running = (scope: string) =>
      runtimes.reduce(
        (sum, { calls }) => sum + calls.values().reduce((own, call) => own + Number(call.scope === scope), 0),
        0,
      );
    const mayBegin = ({ call }: Waiter) => runtimes.some((each) => each.hasCapacity && each.mayTake(call));
    for (let next = this.#queue.shift(running, mayBegin); next !== null; next = this.#queue.shift(running, mayBegin)) {
      const [best] = rankRoutes(runtimes, next.call);
      if (best === undefined) break;
      this.#waiters.delete(next.id);
      best.enter(next.call);
      next.resolve(best);
    }
    const nowMs = this.#options.clock.monotonicMs();
    for (const waiter of this.#waiters.values()) {
      const { call, scope, untilMs } = waiter;
      if (!runtimes.some((each) => each.mayTake(call))) this.#end(waiter, noRouteFault(call, runtimes));
      else if (untilMs <= nowMs) this.#end(waiter, this.#refusal(scope));
    }
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    for (const waiter of this.#waiters.values()) this.#end(waiter, stopping());
  }

  #end(waiter: Waiter, error: unknown): void {
    this.#waiters.delete(waiter.id);
    this.#queue.remove(waiter.id);
    waiter.reject(error);
  }

  #startTimer(): void {
    if (this.#waiters.size === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.serve();
      this.#startTimer();
    }, serveEveryMs);
  }

  /** Calls that get a slot before one of this scope that came now. */
  #ahead(scope: string): number {
    const queued = Map.groupBy(this.#waiters.values(), (waiter) => waiter.scope);
    const own = queued.get(scope)?.length ?? 0;
    return [...queued].reduce(
      (sum, [other, { length }]) => sum + (other === scope ? own : Math.min(length, own + 1)),
      0,
    );
  }

  #waitMs(ahead: number): number {
    const routes = this.#options.routes().filter(({ isOpen }) => isOpen);
    const perMs = routes.reduce((sum, { route, callMs }) => sum + (callMs === null ? 0 : route.capacity / callMs), 0);
    return perMs === 0 ? 0 : (ahead + 1) / perMs;
  }

  #refusal(scope: string): Fault {
    return fault('capacity_unavailable', { retryAfterSeconds: retryAfterSeconds(this.#waitMs(this.#ahead(scope))) });
  }
}

export function noRouteFault({ baseModelId, adapter, refusal }: WaitingCall, runtimes: readonly RouteRuntime[]): Fault {
  if (!runtimes.some(({ adapters }) => adapter === null || adapters !== null)) return notInstalled(baseModelId);
  const up = runtimes.filter(({ allowsCall }) => allowsCall).length;
  const why = refusal ? ` The last refusal: ${refusal.reason}` : '';
  return fault(refusal?.isLoading ? 'model_warming' : 'capacity_unavailable', {
    retryAfterSeconds: refusal?.retryAfterSeconds ?? (up > 0 ? 1 : 5),
    internal: `No route of ${baseModelId} took the call; ${up} of ${runtimes.length} are up.${why}`,
  });
}
