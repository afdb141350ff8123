import type { Adapter } from '../port.ts';
import type { NativeAdapter, NativeContext, NativeModel } from './binding.ts';

export type LaneOptions<Work> = {
  model: Pick<NativeModel, 'loadAdapter'>;
  openContext: (adapter: Adapter | null) => Promise<NativeContext>;
  createWork: (adapter: Adapter | null) => Work;
  isIdle: (work: Work) => boolean;
  /** Contexts beside the base's. */
  mostAdapters: number;
};

type Entry<Work> = {
  /** Content hash of the adapter; '' for the base. */
  key: string;
  adapter: Adapter | null;
  work: Work;
  open: { context: NativeContext; native: NativeAdapter | null } | null;
  usedAt: number;
};

/**
 * A lane is a context of its own over the shared base model: the plain base, or the base with one adapter. The
 * adapter of a live context is never swapped, because its cells hold states that were made with the old one.
 * Work may be given to a lane before its context is open.
 */
export class Lanes<Work> {
  readonly #options: LaneOptions<Work>;
  readonly #entries = new Map<string, Entry<Work>>();
  #uses = 0;

  constructor(options: LaneOptions<Work>) {
    this.#options = options;
  }

  /** The work of a lane; the lane is entered if it is new. */
  work(adapter: Adapter | null): Work {
    const key = adapter?.sha256 ?? '';
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = { key, adapter, work: this.#options.createWork(adapter), open: null, usedAt: 0 };
      this.#entries.set(key, entry);
    }
    return entry.work;
  }

  all(): Work[] {
    return [...this.#entries.values()].map((entry) => entry.work);
  }

  /** Lanes with work in the order in which they are due: the least recently used first. */
  due(hasWork: (work: Work) => boolean): { key: string; work: Work }[] {
    const due = [...this.#entries.values()].filter((entry) => hasWork(entry.work));
    return due.sort((a, b) => a.usedAt - b.usedAt);
  }

  /**
   * Opens the lane's context, or returns null where all adapter contexts are taken by lanes at work. Throws when the
   * adapter or the context cannot be made; the lane is gone then, with its work.
   */
  async use(key: string): Promise<NativeContext | null> {
    const entry = this.#entries.get(key);
    if (entry === undefined) return null;
    if (entry.open === null) {
      if (entry.adapter !== null && !(await this.#makeRoom())) return null;
      try {
        entry.open = await this.#open(entry.adapter);
      } catch (error) {
        this.#entries.delete(key);
        throw error;
      }
    }
    this.#uses += 1;
    entry.usedAt = this.#uses;
    return entry.open.context;
  }

  /** Frees everything native. No native work may be under way. */
  async close(): Promise<void> {
    for (const entry of this.#entries.values()) await closeEntry(entry);
    this.#entries.clear();
  }

  async #open(adapter: Adapter | null): Promise<NonNullable<Entry<Work>['open']>> {
    const native = adapter === null ? null : await this.#options.model.loadAdapter(adapter.path);
    try {
      const context = await this.#options.openContext(adapter);
      if (native !== null) context.setLoras([native], [1]);
      return { context, native };
    } catch (error) {
      await native?.dispose();
      throw error;
    }
  }

  /** Closes the least recently used idle adapter lanes until there is place for one more. */
  async #makeRoom(): Promise<boolean> {
    const open = () => [...this.#entries.values()].filter((entry) => entry.adapter !== null && entry.open !== null);
    while (open().length >= this.#options.mostAdapters) {
      const [oldest] = open()
        .filter((entry) => this.#options.isIdle(entry.work))
        .sort((a, b) => a.usedAt - b.usedAt);
      if (oldest === undefined) return false;
      this.#entries.delete(oldest.key);
      await closeEntry(oldest);
    }
    return true;
  }
}

async function closeEntry({ open }: Pick<Entry<unknown>, 'open'>): Promise<void> {
  // The context refers to the adapter: it goes first.
  await open?.context.dispose();
  await open?.native?.dispose();
}
