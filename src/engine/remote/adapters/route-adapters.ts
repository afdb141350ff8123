import type { Clock } from '#kernel';
import type { Adapter } from '../../port.ts';
import type { ServingRoute } from '../serving-route.ts';
import type { Upstream } from '../upstream.ts';
import { AdapterFolder, type AdapterSource, ggufName } from './adapter-folder.ts';
import {
  AdapterRefused,
  adapterName,
  isLoading,
  type LoadingApi,
  listLoaded,
  listStarted,
  load,
  unload,
} from './lora-calls.ts';

export type RouteLog = (level: 'info' | 'warn', message: string, fields: Record<string, unknown>) => void;

/** The adapters of one remote engine. */
export type RouteAdapters = {
  /** Whether it had the adapter when it was used last. */
  has: (sha256: string) => boolean;
  /** What a call says so that the engine answers with the adapter, which is loaded first. Throws `AdapterRefused`, `TransportError`. */
  fieldsOf: (adapter: Adapter, signal: AbortSignal) => Promise<Record<string, unknown>>;
  /** What a call without an adapter says so that it gets none. */
  readonly fieldsOfBase: Record<string, unknown> | null;
  /** The engine says that it has it no longer. */
  lose: (sha256: string) => void;
  /** The engine was away: nobody knows what it has. */
  forget: () => void;
};

export type RouteAdaptersDeps = { upstream: Upstream; source: AdapterSource; clock: Clock; log: RouteLog };

/** null: the engine is not set up for adapters, or has no way to choose one for each call. */
export function openRouteAdapters(route: ServingRoute, deps: RouteAdaptersDeps): RouteAdapters | null {
  const { api, kind, adaptersFolder: here = null, adaptersSeenAs = null } = route;
  if (here === null) return null;
  const onTrouble = (error: unknown) =>
    deps.log('warn', 'No sweep of a folder of adapters.', { route: route.id, error: String(error) });
  const folder = new AdapterFolder({ here, there: adaptersSeenAs ?? here }, { source: deps.source, onTrouble });
  if (api === 'vllm') return new LoadedAdapters({ ...deps, api, folder, route });
  // Both would embed by the base model without a word.
  if (kind === 'embedding') return null;
  if (isLoading(api)) return new LoadedAdapters({ ...deps, api, folder, route });
  return api === 'llama-server' ? new StartedAdapters({ ...deps, folder }) : null;
}

/** A refusal is not asked for again for this long. */
const refusedMs = 30_000;
const mostRefused = 1_000;
const mostUnloaded = 16;
/** While an adapter is used, its file is marked so often; what has no marks for a month is removed (`sweep-folder.ts`). */
const markEveryMs = 60_000;
/** After such a time without a call nobody relies on the file: it is looked for first, or brought again. */
const trustedMs = 86_400_000;

type StartedParts = Pick<RouteAdaptersDeps, 'upstream' | 'clock'> & { folder: AdapterFolder };
type Parts = RouteAdaptersDeps & { api: LoadingApi; folder: AdapterFolder; route: ServingRoute };

/** Of an engine that loads adapters while it runs. */
class LoadedAdapters implements RouteAdapters {
  readonly fieldsOfBase = null;
  readonly #parts: Parts;
  /** When its files were marked; the least recently used first. */
  readonly #held = new Map<string, number>();
  readonly #loading = new Map<string, Promise<void>>();
  readonly #refused = new Map<string, { untilMs: number; error: AdapterRefused }>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  has(sha256: string): boolean {
    return this.#held.has(sha256);
  }

  async fieldsOf(adapter: Adapter, signal: AbortSignal): Promise<Record<string, unknown>> {
    const { sha256 } = adapter;
    const age = this.#now() - (this.#held.get(sha256) ?? Number.NEGATIVE_INFINITY);
    if (age > trustedMs) {
      signal.throwIfAborted();
      await leaving(this.#loadOnce(adapter), signal);
    } else if (age > markEveryMs) this.#mark(sha256);
    this.#use(sha256);
    const name = adapterName(sha256);
    return this.#parts.api === 'vllm' ? { model: name } : { lora_path: name };
  }

  lose(sha256: string): void {
    this.#held.delete(sha256);
  }

  forget(): void {
    this.#held.clear();
    this.#refused.clear();
  }

  #use(sha256: string, markedMs = this.#held.get(sha256)): void {
    this.#held.delete(sha256);
    // Lost meanwhile: the engine says so to the call, too.
    if (markedMs !== undefined) this.#held.set(sha256, markedMs);
  }

  /** No call waits for it. */
  #mark(sha256: string): void {
    this.#use(sha256, this.#now());
    void this.#parts.folder.markPeft(sha256).then((isThere) => {
      if (!isThere) this.#held.delete(sha256);
    });
  }

  #now(): number {
    return this.#parts.clock.monotonicMs();
  }

  /** However many calls wait for it, and whoever leaves meanwhile. */
  #loadOnce(adapter: Adapter): Promise<void> {
    const { sha256 } = adapter;
    const before = this.#refused.get(sha256);
    if (before && before.untilMs > this.#parts.clock.monotonicMs()) return Promise.reject(before.error);
    this.#refused.delete(sha256);
    const known = this.#loading.get(sha256);
    if (known) return known;
    const loading = this.#load(adapter)
      .then(() => this.#use(sha256, this.#now()))
      .catch((error: unknown) => {
        this.#remember(sha256, error);
        throw error;
      })
      .finally(() => this.#loading.delete(sha256));
    this.#loading.set(sha256, loading);
    return loading;
  }

  async #load(adapter: Adapter): Promise<void> {
    const { upstream, api, folder } = this.#parts;
    const name = adapterName(adapter.sha256);
    const path = await folder.bringPeft(adapter).catch(refused);
    const unloaded = new Set<string>();
    while ((await load(upstream, { api, name, path })) === 'full') {
      const goes = await this.#leastUsed(unloaded);
      if (goes === null) throw new AdapterRefused('The engine has no room for another adapter.');
      unloaded.add(goes);
      this.#held.delete(goes.slice(adapterName('').length));
      await unload(upstream, { api, name: goes });
    }
  }

  /** Ours first; then those that another server has loaded there, who will load them again when they are needed. */
  async #leastUsed(unloaded: ReadonlySet<string>): Promise<string | null> {
    if (unloaded.size >= mostUnloaded) return null;
    const [ours] = this.#held.keys();
    if (ours !== undefined) return adapterName(ours);
    const listed = await listLoaded(this.#parts.upstream);
    return listed.find((name) => !unloaded.has(name)) ?? null;
  }

  /** What is wrong with the adapter or the folder will be wrong again; what is wrong with the connection need not. */
  #remember(sha256: string, error: unknown): void {
    if (!(error instanceof AdapterRefused)) return;
    const { clock, log, route } = this.#parts;
    this.#refused.set(sha256, { untilMs: clock.monotonicMs() + refusedMs, error });
    const [oldest = sha256] = this.#refused.keys();
    if (this.#refused.size > mostRefused) this.#refused.delete(oldest);
    const fields = { route: route.id, adapter: sha256, error: error.message };
    log('warn', 'A serving route does not load an adapter.', fields);
  }
}

/** Of llama.cpp's server, which has those that it was started with. Their numbers change with every start, so they are asked for at each call. */
class StartedAdapters implements RouteAdapters {
  /** One that is named switches off all others. */
  readonly fieldsOfBase = { lora: [{ id: 0, scale: 0 }] };
  readonly #parts: StartedParts;
  /** When its file was marked. */
  readonly #held = new Map<string, number>();

  constructor(parts: StartedParts) {
    this.#parts = parts;
  }

  has(sha256: string): boolean {
    return this.#held.has(sha256);
  }

  async fieldsOf(adapter: Adapter): Promise<Record<string, unknown>> {
    const { sha256 } = adapter;
    const { upstream, folder } = this.#parts;
    const id = (await listStarted(upstream)).get(ggufName(sha256));
    if (id !== undefined) {
      this.#mark(sha256);
      return { lora: [{ id, scale: 1 }] };
    }
    this.#held.delete(sha256);
    // Its next start finds it there.
    const path = await folder.bringGguf(adapter).catch(refused);
    throw new AdapterRefused(`The engine was not started with --lora ${path}.`);
  }

  /** Its next start is to find it there. No call waits for it. */
  #mark(sha256: string): void {
    const { clock, folder } = this.#parts;
    const now = clock.monotonicMs();
    if (now - (this.#held.get(sha256) ?? Number.NEGATIVE_INFINITY) <= markEveryMs) return;
    this.#held.set(sha256, now);
    void folder.markGguf(sha256);
  }

  lose(sha256: string): void {
    this.#held.delete(sha256);
  }

  forget(): void {
    this.#held.clear();
  }
}

function refused(error: unknown): never {
  throw new AdapterRefused(`The adapter cannot be put into the shared folder: ${String(error)}`, { cause: error });
}

/** The result of work that goes on when the caller leaves. */
async function leaving<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const left = Promise.withResolvers<never>();
  const leave = () => left.reject(signal.reason);
  signal.addEventListener('abort', leave, { once: true });
  try {
    return await Promise.race([work, left.promise]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
