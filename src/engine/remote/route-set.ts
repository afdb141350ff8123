import { fault } from '#kernel';
import { defaultWaiting } from '../turns/admission.ts';
import { AdapterRefused } from './adapters/route-adapters.ts';
import { rankRoutes, takesCalls } from './choose-route.ts';
import { TransportError } from './connection-pool.ts';
import { mayTake, RouteLine, type Turn } from './route-line.ts';
import { type RouteDeps, RouteRuntime } from './route-runtime.ts';
import { Elsewhere, noRoute, type RoutedCall } from './routed-call.ts';
import type { ServingRoute } from './serving-route.ts';

export type RouteSetOptions = RouteDeps & {
  /** The routes at present; asked at every call. The same array as long as nothing changed. */
  routes: () => readonly ServingRoute[];
  /** Of each model: calls that wait for its routes at most, and for how long. */
  waiting?: { maxQueue: number; capacityWaitMs: number };
  /** Whether calls that find all routes full run here instead of waiting. */
  isInstalled?: (baseModelId: string) => boolean;
};

/** Readies a call for a route where it has its place, or, with one in line, where it is likely to have one. */
type Take<Taken> = (runtime: RouteRuntime, leave: () => void, isInLine: boolean) => Promise<Taken | Elsewhere>;

/** The remote engines that are set up at present. */
export class RouteSet {
  readonly #options: RouteSetOptions;
  readonly #runtimes = new Map<string, RouteRuntime>();
  readonly #lines = new Map<string, RouteLine>();
  #seen: readonly ServingRoute[] = [];
  #ofModels = new Map<string, RouteRuntime[]>();

  constructor(options: RouteSetOptions) {
    this.#options = options;
  }

  /** The longest that a route of the model has. */
  contextOf(baseModelId: string): number {
    return Math.max(0, ...this.of(baseModelId).map(({ route }) => route.maxContextTokens));
  }

  of(baseModelId: string): readonly RouteRuntime[] {
    const routes = this.#options.routes();
    if (routes !== this.#seen) {
      this.#seen = routes;
      follow(this.#runtimes, routes, this.#options);
      this.#ofModels = Map.groupBy(this.#runtimes.values(), ({ route }) => route.baseModelId);
    }
    return this.#ofModels.get(baseModelId) ?? [];
  }

  /** Those who wait for the routes of a model. */
  line(baseModelId: string): RouteLine {
    const found = this.#lines.get(baseModelId);
    if (found) return found;
    const { clock, waiting } = this.#options;
    const routes = () => this.of(baseModelId);
    const line = new RouteLine({ ...defaultWaiting, ...waiting, clock, routes });
    this.#lines.set(baseModelId, line);
    return line;
  }

  /**
   * Tries the routes of a model, the best first, until one takes the call; where all others are full, gives it a place in line.
   * `capacity_unavailable`: none did, and nothing ran.
   */
  async place<Taken>(call: RoutedCall, take: Take<Taken>): Promise<Taken> {
    const { baseModelId, adapter, prefix } = call;
    const line = this.line(baseModelId);
    line.goOn();
    const candidates = this.of(baseModelId)
      .filter(({ adapters }) => adapter === null || adapters !== null)
      .map((runtime) => runtime.candidate(prefix, adapter));
    let refused: Elsewhere | undefined;
    let tried: Set<RouteRuntime> | undefined;
    for (const { runtime } of rankRoutes(candidates)) {
      // While another one was asked, others may have filled it.
      if (refused && !takesCalls(runtime.candidate(prefix, adapter))) continue;
      const leave = runtime.enter(call, line);
      let taken: Taken | Elsewhere;
      try {
        taken = await take(runtime, leave, false);
      } catch (error) {
        leave();
        throw error;
      }
      if (!(taken instanceof Elsewhere)) return taken;
      leave();
      tried ??= new Set();
      tried.add(runtime);
      refused = taken;
    }
    return this.#placeInLine({ ...call, tried: tried ?? new Set(), refused }, take);
  }

  /** Gives a call its turn with a route that it has not tried, as soon as one has room. `leaveLine`: of its place in line. */
  async takeTurn<Taken>(
    call: RoutedCall,
    { signal, leaveLine }: { signal: AbortSignal; leaveLine: (() => void) | null },
    take: (turn: Turn) => Promise<Taken | Elsewhere>,
  ): Promise<Taken> {
    const line = this.line(call.baseModelId);
    const tried = new Set(call.tried);
    let { refused } = call;
    let leavePlace = leaveLine;
    for (;;) {
      const now = { ...call, tried, refused };
      leavePlace ??= this.#join(now);
      const turn = await line.turn(now, signal).finally(leavePlace);
      leavePlace = null;
      const taken = await take(turn).catch((error: unknown) => {
        turn.leave();
        throw error;
      });
      if (!(taken instanceof Elsewhere)) return taken;
      turn.leave();
      tried.add(turn.runtime);
      refused = taken;
    }
  }

  /** A route that is full counts its prompt meanwhile. */
  async #placeInLine<Taken>(call: RoutedCall, take: Take<Taken>): Promise<Taken> {
    const tried = new Set(call.tried);
    let { refused } = call;
    const leave = this.#join(call);
    try {
      for (const runtime of this.of(call.baseModelId)) {
        if (!mayTake(runtime, { ...call, tried })) continue;
        const taken = await take(runtime, leave, true);
        if (!(taken instanceof Elsewhere)) return taken;
        tried.add(runtime);
        refused = taken;
      }
      throw noRoute({ ...call, refused }, this.of(call.baseModelId));
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** What is installed here runs here instead of waiting. */
  #join(call: RoutedCall): () => void {
    const { baseModelId } = call;
    const runtimes = this.of(baseModelId);
    const able = runtimes.filter((runtime) => mayTake(runtime, call));
    const isInstalled = this.#options.isInstalled?.(baseModelId) === true;
    if (able.length === 0 || (isInstalled && !able.some(({ hasRoom }) => hasRoom))) throw noRoute(call, runtimes);
    return this.line(baseModelId).join(call);
  }

  async close(): Promise<void> {
    for (const line of this.#lines.values()) line.close();
    await Promise.all([...this.#runtimes.values()].map((runtime) => runtime.close()));
  }
}

/** Asks a route. What certainly did not run may go elsewhere; of everything else nobody knows whether it was served. */
export async function reach<Result>(
  runtime: RouteRuntime,
  ask: () => Promise<Result>,
  { nothingRan = false } = {},
): Promise<Result | Elsewhere> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof AdapterRefused) return new Elsewhere(error.message);
    if (!(error instanceof TransportError)) throw error;
    runtime.failed(error.message);
    if (nothingRan || error.neverSent) return new Elsewhere(error.message);
    throw fault('ambiguous_transport', { internal: `Route ${runtime.route.id}: ${error.message}`, cause: error });
  }
}

function follow(runtimes: Map<string, RouteRuntime>, routes: readonly ServingRoute[], deps: RouteDeps): void {
  const wanted = new Map(routes.map((route) => [route.id, route]));
  for (const [id, runtime] of runtimes) {
    const route = wanted.get(id);
    if (route && connectsAs(route) === connectsAs(runtime.route)) {
      runtime.update(route);
    } else {
      runtimes.delete(id);
      runtime.retire();
    }
  }
  for (const [id, route] of wanted) if (!runtimes.has(id)) runtimes.set(id, new RouteRuntime(route, deps));
}

const connectsAs = ({ url, secret, capacity, api, adaptersFolder, adaptersSeenAs }: ServingRoute) =>
  JSON.stringify([url, secret, capacity, api, adaptersFolder, adaptersSeenAs]);
