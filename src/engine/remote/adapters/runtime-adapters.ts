import type { Adapter } from '../../port.ts';
import { fieldsOf, type JsonFields, textOf } from '../wire.ts';
import {
  AdapterRefused,
  adapterName,
  markEveryMs,
  namePrefix,
  type RouteAdapters,
  type RouteAdaptersOptions,
  refuseFolder,
  sendForText,
} from './route-adapters.ts';

export type LoraRoutes = {
  loadPath: string;
  unloadPath: string;
  callFields: (name: string) => JsonFields;
  /** Recognises the refusal of an engine that holds as many adapters as it may. */
  isFull: RegExp;
};

const loadMs = 60_000;
const listMs = 5_000;
const isAlreadyLoaded = /already (been )?(loaded|exists?|added)/i;
/** A refused adapter is not loaded again for this long. */
const refusedMs = 30_000;
const maxRefused = 1_000;
const maxUnloaded = 16;
/** After a day without a call the file may be gone: it is looked for first, or written again. */
const trustedMs = 86_400_000;

export class RuntimeAdapters implements RouteAdapters {
  readonly baseFields = {};
  readonly #options: RouteAdaptersOptions;
  readonly #routes: LoraRoutes;
  /** When its files were marked; the least recently used first. */
  readonly #loaded = new Map<string, number>();
  readonly #loading = new Map<string, Promise<void>>();
  readonly #refused = new Map<string, { untilMs: number; error: AdapterRefused }>();

  constructor(options: RouteAdaptersOptions, routes: LoraRoutes) {
    this.#options = options;
    this.#routes = routes;
  }

  has(sha256: string): boolean {
    return this.#loaded.has(sha256);
  }

  async fieldsFor(adapter: Adapter, signal: AbortSignal): Promise<JsonFields> {
    const { sha256 } = adapter;
    const age = this.#nowMs() - (this.#loaded.get(sha256) ?? Number.NEGATIVE_INFINITY);
    if (age > trustedMs) {
      signal.throwIfAborted();
      await untilAborted(this.#loadOnce(adapter), signal);
    } else if (age > markEveryMs) this.#mark(sha256);
    this.#use(sha256);
    return this.#routes.callFields(adapterName(sha256));
  }

  lose(sha256: string): void {
    this.#loaded.delete(sha256);
  }

  forget(): void {
    this.#loaded.clear();
    this.#refused.clear();
  }

  #use(sha256: string, markedMs = this.#loaded.get(sha256)): void {
    this.#loaded.delete(sha256);
    // Lost meanwhile: the engine refuses the call then.
    if (markedMs !== undefined) this.#loaded.set(sha256, markedMs);
  }

  #mark(sha256: string): void {
    this.#use(sha256, this.#nowMs());
    void this.#options.folder.markPeft(sha256).then((exists) => {
      if (!exists) this.#loaded.delete(sha256);
    });
  }

  #nowMs(): number {
    return this.#options.clock.monotonicMs();
  }

  /** However many calls wait for it, and whoever leaves meanwhile. */
  #loadOnce(adapter: Adapter): Promise<void> {
    const { sha256 } = adapter;
    const before = this.#refused.get(sha256);
    if (before && before.untilMs > this.#nowMs()) return Promise.reject(before.error);
    this.#refused.delete(sha256);
    const loading = this.#loading.get(sha256) ?? this.#startLoading(adapter);
    this.#loading.set(sha256, loading);
    return loading;
  }

  async #startLoading(adapter: Adapter): Promise<void> {
    const { sha256 } = adapter;
    try {
      await this.#load(adapter);
      this.#use(sha256, this.#nowMs());
    } catch (error) {
      if (error instanceof AdapterRefused) this.#rememberRefusal(sha256, error);
      throw error;
    } finally {
      this.#loading.delete(sha256);
    }
  }

  async #load(adapter: Adapter): Promise<void> {
    const path = await this.#options.folder.writePeft(adapter).catch(refuseFolder);
    const unloaded = new Set<string>();
    while ((await this.#sendLoad(adapterName(adapter.sha256), path)) === 'full') {
      const name = unloaded.size < maxUnloaded ? await this.#leastUsed(unloaded) : null;
      if (name === null) throw new AdapterRefused('The engine has no capacity for another adapter.');
      unloaded.add(name);
      this.#loaded.delete(name.slice(namePrefix.length));
      // One that is not there any more counts as unloaded.
      await this.#post(this.#routes.unloadPath, { lora_name: name });
    }
  }

  async #sendLoad(name: string, path: string): Promise<'loaded' | 'full'> {
    const { status, text } = await this.#post(this.#routes.loadPath, { lora_name: name, lora_path: path });
    if (status === 200 && !/"success":\s*false/.test(text)) return 'loaded';
    if (isAlreadyLoaded.test(text)) return 'loaded';
    if (this.#routes.isFull.test(text)) return 'full';
    throw new AdapterRefused(`The engine answered ${status} to the load of an adapter: ${text.slice(0, 300)}`);
  }

  /** Our own first; then those that another server has loaded there, which loads them again when it needs them. */
  async #leastUsed(unloaded: ReadonlySet<string>): Promise<string | null> {
    const [own] = this.#loaded.keys();
    if (own !== undefined) return adapterName(own);
    const { json } = await sendForText(() => this.#options.upstream.get('/models', AbortSignal.timeout(listMs)));
    const { data } = fieldsOf(json);
    const names = Array.isArray(data) ? data.map((model: unknown) => textOf(fieldsOf(model).id)) : [];
    return names.find((name) => name.startsWith(namePrefix) && !unloaded.has(name)) ?? null;
  }

  #post(path: string, body: JsonFields) {
    return sendForText(() => this.#options.upstream.post(path, body, AbortSignal.timeout(loadMs)));
  }

  /** What is wrong with an adapter or the folder stays wrong for a while; what is wrong with the connection need not. */
  #rememberRefusal(sha256: string, error: AdapterRefused): void {
    const { log, routeId } = this.#options;
    this.#refused.set(sha256, { untilMs: this.#nowMs() + refusedMs, error });
    const [oldest = sha256] = this.#refused.keys();
    if (this.#refused.size > maxRefused) this.#refused.delete(oldest);
    log('warn', 'serving route cannot load adapter', { route: routeId, adapter: sha256, error: error.message });
  }
}

async function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
