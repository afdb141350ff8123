import { type Fault, fault } from '#kernel';
import type { Adapter } from '../port.ts';
import { AdapterRefused } from './adapters/lora-calls.ts';
import { rankRoutes, takesCalls } from './choose-route.ts';
import { TransportError } from './http/transport.ts';
import { type RouteDeps, RouteRuntime } from './route-runtime.ts';
import type { ServingRoute } from './serving-route.ts';

export type RouteSetOptions = RouteDeps & {
  /** The routes at present; asked at every call. The same array as long as nothing changed. */
  routes: () => readonly ServingRoute[];
};

export type RoutedCall = {
  baseModelId: string;
  adapter: Adapter | null;
  /** Of the beginning of the prompt; '' where engines keep none. */
  prefix: string;
  /** About how much work it is. */
  tokens: number;
  /** Has refused it already. */
  except?: RouteRuntime;
  /** What that one said. */
  refused?: Elsewhere;
};

/** The remote engines that are set up at present. */
export class RouteSet {
  readonly #options: RouteSetOptions;
  readonly #runtimes = new Map<string, RouteRuntime>();
  #seen: readonly ServingRoute[] = [];
  #ofModels = new Map<string, RouteRuntime[]>();

  constructor(options: RouteSetOptions) {
    this.#options = options;
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

  /** Tries the routes of a model, the best first, until one takes the call. `capacity_unavailable`: none did, and nothing ran. */
  async place<Taken>(
    call: RoutedCall,
    take: (runtime: RouteRuntime, leave: () => void) => Promise<Taken | Elsewhere>,
  ): Promise<Taken> {
    const { baseModelId, adapter, prefix, tokens, except } = call;
    const candidates = this.of(baseModelId)
      .filter(({ adapters }) => adapter === null || adapters !== null)
      .map((runtime) => runtime.candidate(prefix, adapter));
    let refused = call.refused;
    for (const { runtime } of rankRoutes(candidates)) {
      if (runtime === except) continue;
      // While another one was asked, others may have filled it.
      if (refused !== call.refused && !takesCalls(runtime.candidate(prefix, adapter))) continue;
      const leave = runtime.enter(tokens);
      const taken = await take(runtime, leave).catch((error: unknown) => {
        leave();
        throw error;
      });
      if (!(taken instanceof Elsewhere)) return taken;
      leave();
      refused = taken;
    }
    throw noRoute(baseModelId, candidates, refused);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#runtimes.values()].map((runtime) => runtime.close()));
  }
}

/** A route did not take the call, and nothing of it can have run there. */
export class Elsewhere {
  readonly reason: string;
  readonly retryAfterSeconds: number | null;
  /** The engine is still reading its model. */
  readonly isLoading: boolean;

  constructor(
    reason: string,
    { retryAfterSeconds = null, isLoading = false }: Partial<Omit<Elsewhere, 'reason'>> = {},
  ) {
    this.reason = reason;
    this.retryAfterSeconds = retryAfterSeconds;
    this.isLoading = isLoading;
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

function noRoute(baseModelId: string, candidates: readonly { isUp: boolean }[], refused: Elsewhere | undefined): Fault {
  const up = candidates.filter(({ isUp }) => isUp).length;
  const why = refused ? ` The last said: ${refused.reason}` : '';
  return fault(refused?.isLoading ? 'model_warming' : 'capacity_unavailable', {
    retryAfterSeconds: refused?.retryAfterSeconds ?? (up > 0 ? 1 : 5),
    internal: `No route of ${baseModelId} took the call; ${up} of ${candidates.length} are up.${why}`,
  });
}
