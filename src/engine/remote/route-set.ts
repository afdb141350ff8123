import { fault } from '#kernel';
import { defaultWaiting } from '../turns/admission.ts';
import { AdapterRefused } from './adapters/route-adapters.ts';
import { TransportError } from './connection-pool.ts';
import { noRouteFault, type RoutedCall, RouteRefusal } from './prepared-calls.ts';
import { mayTake, RouteQueue, type RouteSlot } from './route-queue.ts';
import { rankRoutes, takesCalls } from './route-ranking.ts';
import { type RouteDeps, RouteRuntime } from './route-runtime.ts';
import type { ServingRoute } from './serving-route.ts';

export type RouteSetOptions = RouteDeps & {
  /** The routes at present; read at every call. The same array as long as nothing changed. */
  routes: () => readonly ServingRoute[];
  /** Of each model: calls that wait for its routes at most, and for how long. */
  waiting?: { maxQueue: number; capacityWaitMs: number };
  /** Whether calls that find all routes full run here instead of waiting. */
  isInstalled?: (baseModelId: string) => boolean;
};

/** Prepares a call for a route where it has a slot or, queued, is likely to get one. */
type Prepare<Result> = (slot: RouteSlot & { isQueued: boolean }) => Promise<Result | RouteRefusal>;

/** The remote engines that are set up at present. */
export class RouteSet {
  readonly #options: RouteSetOptions;
  readonly #runtimes = new Map<string, RouteRuntime>();
  readonly #queues = new Map<string, RouteQueue>();
  #latest: readonly ServingRoute[] = [];
  #byModel = new Map<string, RouteRuntime[]>();

  constructor(options: RouteSetOptions) {
    this.#options = options;
  }

  /** The longest that a route of the model has. */
  contextOf(baseModelId: string): number {
    return Math.max(0, ...this.of(baseModelId).map(({ route }) => route.maxContextTokens));
  }

  of(baseModelId: string): readonly RouteRuntime[] {
    const routes = this.#options.routes();
    if (routes !== this.#latest) {
      this.#latest = routes;
      updateRuntimes(this.#runtimes, routes, this.#options);
      this.#byModel = Map.groupBy(this.#runtimes.values(), ({ route }) => route.baseModelId);
    }
    return this.#byModel.get(baseModelId) ?? [];
  }

  /** Of the calls that wait for the routes of a model. */
  queue(baseModelId: string): RouteQueue {
    const found = this.#queues.get(baseModelId);
    if (found) return found;
    const { clock, waiting } = this.#options;
    const routes = () => this.of(baseModelId);
    const queue = new RouteQueue({ ...defaultWaiting, ...waiting, clock, routes });
    this.#queues.set(baseModelId, queue);
    return queue;
  }

  /**
   * Tries the routes of a model, the best first, until one takes the call; where all others are full, queues it.
   * `capacity_unavailable`: none did, and nothing ran.
   */
  async assign<Result>(call: RoutedCall, prepare: Prepare<Result>): Promise<Result> {
    const { baseModelId, adapter, prefix } = call;
    const queue = this.queue(baseModelId);
    queue.serve();
    const candidates = this.of(baseModelId)
      .filter(({ adapters }) => adapter === null || adapters !== null)
      .map((runtime) => runtime.candidate(prefix, adapter));
    const tried = new Set<RouteRuntime>();
    let refusal: RouteRefusal | undefined;
    for (const { runtime } of rankRoutes(candidates)) {
      // While another one was tried, other calls may have filled it.
      if (refusal && !takesCalls(runtime.candidate(prefix, adapter))) continue;
      const leave = runtime.enter(call, queue);
      const result = await leaveOnError(leave, prepare({ runtime, leave, isQueued: false }));
      if (!(result instanceof RouteRefusal)) return result;
      leave();
      tried.add(runtime);
      refusal = result;
    }
    return this.#enqueue({ ...call, tried, refusal }, prepare);
  }

  /** A route that is full counts its prompt meanwhile. */
  #enqueue<Result>(call: RoutedCall, prepare: Prepare<Result>): Promise<Result> {
    const leave = this.#join(call);
    const prepareAtAny = async () => {
      const tried = new Set(call.tried);
      let { refusal } = call;
      for (const runtime of this.of(call.baseModelId)) {
        if (!mayTake(runtime, { ...call, tried })) continue;
        const result = await prepare({ runtime, leave, isQueued: true });
        if (!(result instanceof RouteRefusal)) return result;
        tried.add(runtime);
        refusal = result;
      }
      throw noRouteFault({ ...call, refusal }, this.of(call.baseModelId));
    };
    return leaveOnError(leave, prepareAtAny());
  }

  /** Runs a call with a route that it has not tried, as soon as one has a slot. `leaveQueue`: of a call that is queued already. */
  async runQueued<Result>(
    call: RoutedCall,
    { signal, leaveQueue }: { signal: AbortSignal; leaveQueue: (() => void) | null },
    run: (slot: RouteSlot) => Promise<Result | RouteRefusal>,
  ): Promise<Result> {
    const queue = this.queue(call.baseModelId);
    const tried = new Set(call.tried);
    let { refusal } = call;
    let leave = leaveQueue;
    for (;;) {
      const current = { ...call, tried, refusal };
      leave ??= this.#join(current);
      const slot = await queue.waitForSlot(current, signal).finally(leave);
      leave = null;
      const result = await leaveOnError(slot.leave, run(slot));
      if (!(result instanceof RouteRefusal)) return result;
      slot.leave();
      tried.add(slot.runtime);
      refusal = result;
    }
  }

  /** What is installed here runs here instead of waiting. */
  #join(call: RoutedCall): () => void {
    const { baseModelId } = call;
    const runtimes = this.of(baseModelId);
    const able = runtimes.filter((runtime) => mayTake(runtime, call));
    const isInstalled = this.#options.isInstalled?.(baseModelId) === true;
    if (able.length === 0 || (isInstalled && !able.some(({ hasRoom }) => hasRoom))) throw noRouteFault(call, runtimes);
    return this.queue(baseModelId).join(call);
  }

  async close(): Promise<void> {
    for (const queue of this.#queues.values()) queue.close();
    await Promise.all([...this.#runtimes.values()].map((runtime) => runtime.close()));
  }
}

async function leaveOnError<Result>(leave: () => void, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    leave();
    throw error;
  }
}

/** Sends something to a route. What certainly did not run may go elsewhere; of everything else nobody knows whether it ran. */
export async function callRoute<Result>(
  runtime: RouteRuntime,
  send: () => Promise<Result>,
  { nothingRan = false } = {},
): Promise<Result | RouteRefusal> {
  try {
    return await send();
  } catch (error) {
    if (error instanceof AdapterRefused) return new RouteRefusal(error.message);
    if (!(error instanceof TransportError)) throw error;
    runtime.failed(error.message);
    if (nothingRan || error.neverSent) return new RouteRefusal(error.message);
    throw fault('ambiguous_transport', { internal: `Route ${runtime.route.id}: ${error.message}`, cause: error });
  }
}

function updateRuntimes(runtimes: Map<string, RouteRuntime>, routes: readonly ServingRoute[], deps: RouteDeps): void {
  const byId = new Map(routes.map((route) => [route.id, route]));
  for (const [id, runtime] of runtimes) {
    const route = byId.get(id);
    if (route && connectionKey(route) === connectionKey(runtime.route)) {
      runtime.update(route);
    } else {
      runtimes.delete(id);
      runtime.retire();
    }
  }
  for (const [id, route] of byId) if (!runtimes.has(id)) runtimes.set(id, new RouteRuntime(route, deps));
}

const connectionKey = ({ url, secret, capacity, api, adaptersFolder, adaptersSeenAs }: ServingRoute) =>
  JSON.stringify([url, secret, capacity, api, adaptersFolder, adaptersSeenAs]);
