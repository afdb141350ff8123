import { type Clock, Fault, fault } from '#kernel';
import { defaultWaiting } from '../fair-queue.ts';
import type { ChatPrompt, EmbeddingInputs, Load } from '../port.ts';
import { AdapterRefused } from './adapters/route-adapters.ts';
import { noRouteFault, RouteQueue } from './route-queue.ts';
import { type RouteDeps, type RoutedCall, RouteRefusal, RouteRuntime, rankRoutes } from './route-runtime.ts';
import type { ServingRoute } from './serving-route.ts';
import type { LocalCounter, LocalPromptCounter } from './token-count.ts';
import { TransportError, type UpstreamResponse } from './upstream.ts';
import { refusalOf } from './upstream-error.ts';
import type { JsonFields } from './wire.ts';

export type RouteSetOptions = RouteDeps & {
  /** The routes at present; read at every call. The same array as long as nothing changed. */
  routes: () => readonly ServingRoute[];
  /** Of each model: calls that wait for its routes at most, and for how long. */
  waiting?: { maxQueue: number; capacityWaitMs: number };
  /** Whether calls that find all routes full run here instead of waiting. */
  isInstalled?: (baseModelId: string) => boolean;
};

export type RemoteContext = {
  routes: RouteSet;
  clock: Clock;
  countHere: LocalCounter;
  countPromptHere: LocalPromptCounter;
};

export type PreparedCall = RoutedCall & { input: { chat: ChatPrompt } | { inputs: EmbeddingInputs; tokens: number } };

/** Handles of remote calls begin with it, those of the local engine do not. */
export const handlePrefix = 'remote-';
const preparedMs = 60_000;

/** The remote engines that are set up at present, and the calls that are prepared for them. */
export class RouteSet {
  readonly #options: RouteSetOptions;
  readonly #runtimes = new Map<string, RouteRuntime>();
  readonly #queues = new Map<string, RouteQueue>();
  readonly #prepared = new Map<string, { call: PreparedCall; timer: NodeJS.Timeout }>();
  #lastId = 0;
  #latest: readonly ServingRoute[] = [];
  #byModel = new Map<string, RouteRuntime[]>();

  constructor(options: RouteSetOptions) {
    this.#options = options;
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

  load(baseModelId: string): Load {
    const running = this.of(baseModelId).reduce((sum, { calls }) => sum + calls.size, 0);
    return { running, waiting: this.#queues.get(baseModelId)?.size ?? 0 };
  }

  /** Returns the handle of a call; it is forgotten after a minute. */
  store(call: PreparedCall): string {
    this.#lastId += 1;
    const handle = `${handlePrefix}${this.#lastId}`;
    const timer = setTimeout(() => this.#prepared.delete(handle), preparedMs).unref();
    this.#prepared.set(handle, { call, timer });
    return handle;
  }

  take(handle: string): PreparedCall {
    const found = this.#prepared.get(handle);
    this.release(handle);
    if (found) return found.call;
    const message = 'The prompt waited too long for its run.';
    throw fault('capacity_unavailable', { message, retryAfterSeconds: 1 });
  }

  release(handle: string): void {
    clearTimeout(this.#prepared.get(handle)?.timer);
    this.#prepared.delete(handle);
  }

  /** Prepares a call at a route that may take it, which has no slot for it yet. `tried`: routes that failed at that. */
  async prepareAtAny<Result>(call: Omit<RoutedCall, 'tried'>, prepare: (runtime: RouteRuntime) => Promise<Result>) {
    const runtimes = this.of(call.baseModelId);
    const tried = new Set<RouteRuntime>();
    let refusal: RouteRefusal | null = null;
    const first = rankRoutes(runtimes, { ...call, tried });
    for (const runtime of new Set([...first, ...runtimes])) {
      if (!runtime.mayTake({ ...call, tried })) continue;
      const result = await callRoute(runtime, () => prepare(runtime), { nothingRan: true });
      if (!(result instanceof RouteRefusal)) return { route: runtime.route, result, tried };
      tried.add(runtime);
      refusal = result;
    }
    throw noRouteFault({ ...call, tried, refusal }, runtimes);
  }

  /** Runs a call with one route after the other, the best first and as soon as it has a slot, until one takes it. */
  async run<Result>(
    call: RoutedCall,
    signal: AbortSignal,
    work: (runtime: RouteRuntime) => Promise<Result | RouteRefusal>,
  ): Promise<Result> {
    const tried = new Set(call.tried);
    const current = { ...call, tried, refusal: null as RouteRefusal | null };
    for (;;) {
      const runtime = this.#takeSlot(current) ?? (await this.#waitForSlot(current, signal));
      try {
        const result = await work(runtime);
        if (!(result instanceof RouteRefusal)) return result;
        tried.add(runtime);
        current.refusal = result;
      } catch (error) {
        if (error instanceof Fault && error.fault === 'generation_failed') runtime.lastCallFailed = true;
        throw error;
      } finally {
        runtime.leave(current);
        this.#queues.get(call.baseModelId)?.serve();
      }
    }
  }

  #takeSlot(call: RoutedCall): RouteRuntime | null {
    this.#queues.get(call.baseModelId)?.serve();
    const [best] = rankRoutes(this.of(call.baseModelId), call);
    best?.enter(call);
    return best ?? null;
  }

  /** What is installed here runs here instead of waiting. */
  #waitForSlot(call: RoutedCall & { refusal: RouteRefusal | null }, signal: AbortSignal): Promise<RouteRuntime> {
    const { baseModelId } = call;
    const runtimes = this.of(baseModelId);
    const isInstalled = this.#options.isInstalled?.(baseModelId) === true;
    if (isInstalled || !runtimes.some((runtime) => runtime.mayTake(call))) throw noRouteFault(call, runtimes);
    return this.#queue(baseModelId).waitForSlot(call, signal);
  }

  #queue(baseModelId: string): RouteQueue {
    const { clock, waiting } = this.#options;
    const routes = () => this.of(baseModelId);
    const queue = this.#queues.get(baseModelId) ?? new RouteQueue({ ...defaultWaiting, ...waiting, clock, routes });
    this.#queues.set(baseModelId, queue);
    return queue;
  }

  async close(): Promise<void> {
    for (const queue of this.#queues.values()) queue.close();
    await Promise.all([...this.#runtimes.values()].map((runtime) => runtime.close()));
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

/** Sends something to a route. What certainly did not run may go elsewhere; of everything else nobody knows whether it ran. */
async function callRoute<Result>(
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

export type CallRequest = {
  path: string;
  body: JsonFields;
  /** The call itself is sent now: whatever it needs is there. */
  onSend: () => void;
  maxReasoningTokens: number | null;
  /** The field that is named where the engine finds it too long. */
  param: string;
  signal: AbortSignal;
};

/** Sends a call to a route where it has a slot. The result is a response with status 200, or why nothing can have run there. */
export async function sendCall(
  runtime: RouteRuntime,
  call: RoutedCall,
  request: CallRequest,
): Promise<UpstreamResponse | RouteRefusal> {
  const { adapter } = call;
  const { path, body, onSend, param, signal } = request;
  for (let isRepeated = false; ; isRepeated = true) {
    const fields = await callRoute(runtime, () => callFields(runtime, call, request), { nothingRan: true });
    if (fields instanceof RouteRefusal) return fields;
    onSend();
    const response = await callRoute(runtime, () => runtime.upstream.post(path, { ...body, ...fields }, signal));
    if (response instanceof RouteRefusal) return response;
    if (response.status === 200) {
      runtime.answered(call.prefix);
      return response;
    }
    const refusal = await refusalOf(response, { param, adapter, dialect: runtime.dialect });
    if (refusal.kind === 'final') throw refusal.error;
    if (refusal.kind === 'elsewhere') {
      if (refusal.isDown) runtime.failed(refusal.reason);
      return new RouteRefusal(refusal.reason, refusal);
    }
    // The engine was started anew, or another server needed the capacity. Nothing has run there.
    if (adapter !== null) runtime.adapters?.lose(adapter.sha256);
    if (isRepeated) return new RouteRefusal(refusal.reason);
  }
}

/** Fields of the adapter, which is loaded first, and of the limit of reasoning. */
async function callFields(
  { adapters, reasoningLimit, route }: RouteRuntime,
  { adapter }: RoutedCall,
  { maxReasoningTokens, signal }: CallRequest,
): Promise<JsonFields> {
  if (adapter !== null && adapters === null) throw new AdapterRefused('The route serves no adapters.');
  return {
    ...(adapter === null ? adapters?.baseFields : await adapters?.fieldsFor(adapter, signal)),
    ...(maxReasoningTokens === null
      ? {}
      : await reasoningLimit.fieldsFor(route.upstreamModel, maxReasoningTokens, signal)),
  };
}
