import type { Adapter } from '../../port.ts';
import { fieldsOf, type JsonFields, textOf } from '../wire.ts';
import { ggufName } from './adapter-folder.ts';
import {
  AdapterRefused,
  markEveryMs,
  type RouteAdapters,
  type RouteAdaptersOptions,
  refuseFolder,
  sendForText,
} from './route-adapters.ts';

const listMs = 5_000;

/** Adapters that llama.cpp's server was started with. Their numbers change with every start, so each call reads them. */
export class StartupAdapters implements RouteAdapters {
  /** One that is named switches off all others. */
  readonly baseFields = { lora: [{ id: 0, scale: 0 }] };
  readonly #options: RouteAdaptersOptions;
  readonly #markedMs = new Map<string, number>();

  constructor(options: RouteAdaptersOptions) {
    this.#options = options;
  }

  has(sha256: string): boolean {
    return this.#markedMs.has(sha256);
  }

  async fieldsFor(adapter: Adapter): Promise<JsonFields> {
    const { sha256 } = adapter;
    const id = await this.#idOf(ggufName(sha256));
    if (id !== undefined) {
      this.#mark(sha256);
      return { lora: [{ id, scale: 1 }] };
    }
    this.#markedMs.delete(sha256);
    // The next start of the engine finds it there.
    const path = await this.#options.folder.writeGguf(adapter).catch(refuseFolder);
    throw new AdapterRefused(`The engine was not started with --lora ${path}.`);
  }

  async #idOf(fileName: string): Promise<number | undefined> {
    const { upstream } = this.#options;
    const { status, json } = await sendForText(() => upstream.get('//lora-adapters', AbortSignal.timeout(listMs)));
    if (status !== 200 || !Array.isArray(json))
      throw new AdapterRefused(`The engine answered ${status} to the list of its adapters.`);
    const found = json.map(fieldsOf).find(({ path }) => textOf(path).split('/').at(-1) === fileName);
    return typeof found?.id === 'number' ? found.id : undefined;
  }

  /** So that the next start finds the file there. No call waits for it. */
  #mark(sha256: string): void {
    const { clock, folder } = this.#options;
    const now = clock.monotonicMs();
    if (now - (this.#markedMs.get(sha256) ?? Number.NEGATIVE_INFINITY) <= markEveryMs) return;
    this.#markedMs.set(sha256, now);
    void folder.markGguf(sha256);
  }

  lose(sha256: string): void {
    this.#markedMs.delete(sha256);
  }

  forget(): void {
    this.#markedMs.clear();
  }
}
