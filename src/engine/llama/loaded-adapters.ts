import { stat } from 'node:fs/promises';
import type { Adapter } from '../port.ts';
import type { NativeAdapter, NativeModel } from './binding.ts';

/** Bytes of files whose adapters stay loaded although no context has them. */
const mostIdleBytes = 128 * 1024 * 1024;

type Loaded = { native: NativeAdapter; bytes: number };

/** Adapters in memory, by content: those that contexts have, and those that were used last. */
export class LoadedAdapters {
  readonly #model: Pick<NativeModel, 'loadAdapter'>;
  /** The least recently used first. */
  readonly #loaded = new Map<string, Loaded>();

  constructor(model: Pick<NativeModel, 'loadAdapter'>) {
    this.#model = model;
  }

  async load({ sha256, path }: Adapter): Promise<NativeAdapter> {
    const known = this.#loaded.get(sha256);
    const loaded = known ?? { native: await this.#model.loadAdapter(path), bytes: (await stat(path)).size };
    this.#loaded.delete(sha256);
    this.#loaded.set(sha256, loaded);
    return loaded.native;
  }

  /** Frees what nobody has used for long. `inUse`: what contexts have. */
  async trim(inUse: ReadonlySet<string>): Promise<void> {
    const idle = [...this.#loaded].filter(([sha256]) => !inUse.has(sha256));
    let bytes = idle.reduce((sum, [, each]) => sum + each.bytes, 0);
    for (const [sha256, each] of idle) {
      if (bytes <= mostIdleBytes) return;
      bytes -= each.bytes;
      this.#loaded.delete(sha256);
      await each.native.dispose();
    }
  }

  /** Frees all. No context may have one any more. */
  async close(): Promise<void> {
    const all = [...this.#loaded.values()];
    this.#loaded.clear();
    for (const { native } of all) await native.dispose();
  }
}
