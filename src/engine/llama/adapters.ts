import { stat } from 'node:fs/promises';
import { messageOf } from '#kernel';
import type { Adapter } from '../port.ts';
import type { NativeAdapter, NativeContext, NativeModel } from './binding.ts';
import type { FromChild } from './protocol.ts';

export type LaneOptions<Work> = {
  model: Pick<NativeModel, 'loadAdapter'>;
  openContext: (adapter: Adapter | null) => Promise<NativeContext>;
  createWork: (adapter: Adapter | null) => Work;
  isIdle: (work: Work) => boolean;
  /** Nothing of it is in flight: what waits can wait for longer. */
  isAtRest: (work: Work) => boolean;
  /** Its context goes to another lane, with nothing in the cells. */
  forget: (work: Work, context: NativeContext) => void;
  /** Contexts beside the base's; 0: adapters cannot be called. */
  mostAdapters: number;
  adapterSequences: number;
};

type Entry<Work> = {
  /** Content hash of the adapter; '' for the base. */
  key: string;
  adapter: Adapter | null;
  work: Work;
  context: NativeContext | null;
  usedAt: number;
  since: number;
};

/** The model was loaded where memory was short. */
class NoMemoryForAdapters extends Error {
  constructor() {
    super('There is too little memory to serve adapters of this model at present.');
  }
}

/**
 * A lane has a context of its own over the shared base model: the plain base, or the base with one adapter. There are few
 * contexts for adapters and any number of adapters: one that has none gets the context of the lane that has been idle for
 * longest, emptied first, because its cells hold states that were made with the old adapter. That is several times
 * quicker than a new context. Where all are at work, the one that has had its context for longest begins nothing new until it
 * is at rest, and gives it away. Work may be given to a lane before it has one.
 */
export class Lanes<Work> {
  readonly #options: LaneOptions<Work>;
  readonly #entries = new Map<string, Entry<Work>>();
  readonly #adapters: LoadedAdapters;
  #resting: Entry<Work> | null = null;
  #uses = 0;

  constructor(options: LaneOptions<Work>) {
    this.#options = options;
    this.#adapters = new LoadedAdapters(options.model);
  }

  work(adapter: Adapter | null): Work {
    const key = adapter?.sha256 ?? '';
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = { key, adapter, work: this.#options.createWork(adapter), context: null, usedAt: 0, since: 0 };
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
   * The lane's context, or null where all adapter contexts are taken by lanes at work. Throws when the adapter or the
   * context cannot be made; the lane is gone then, with its work.
   */
  async use(key: string): Promise<NativeContext | null> {
    this.#forgetLeft(key);
    const entry = this.#entries.get(key);
    if (entry === undefined) return null;
    if (entry.context === null) {
      try {
        entry.context =
          entry.adapter === null ? await this.#options.openContext(null) : await this.#adapted(entry.adapter);
      } catch (error) {
        this.#entries.delete(key);
        throw error;
      }
      if (entry.context === null) return null;
      entry.since = this.#uses;
      await this.#adapters.trim(new Set(this.#withContext().map((each) => each.key)));
    }
    this.#uses += 1;
    entry.usedAt = this.#uses;
    return entry.context;
  }

  isResting(key: string): boolean {
    return this.#resting?.key === key && this.#isWanted();
  }

  async close(): Promise<void> {
    // Contexts refer to adapters: they go first.
    for (const { context } of this.#entries.values()) await context?.dispose();
    this.#entries.clear();
    await this.#adapters.close();
  }

  /**
   * Lanes that all have left who waited there for a context: with the memory for their sequences, one of each adapter that was ever
   * called would stay. Nothing else looks for a context at present, which must not come to a lane that is gone.
   */
  #forgetLeft(used: string): void {
    for (const { key, adapter, context, work } of this.#entries.values()) {
      const isLeft = adapter !== null && context === null && this.#options.isIdle(work);
      if (isLeft && key !== used) this.#entries.delete(key);
    }
  }

  /** A context with this adapter and nothing in its cells; null: there is none to be had. */
  async #adapted(adapter: Adapter): Promise<NativeContext | null> {
    const { openContext, mostAdapters } = this.#options;
    if (mostAdapters === 0) throw new NoMemoryForAdapters();
    const native = await this.#adapters.load(adapter);
    const isNew = this.#withContext().length < mostAdapters;
    const context = isNew ? await openContext(adapter) : this.#takeOver();
    try {
      context?.setLoras([native], [1]);
    } catch (error) {
      await context?.dispose();
      throw error;
    }
    return context;
  }

  /** The context of another lane, emptied: of the one that has been idle for longest, or rests; null: all are at work. */
  #takeOver(): NativeContext | null {
    const { isIdle, isAtRest, forget, adapterSequences } = this.#options;
    const taken = this.#withContext();
    const [idle] = taken.filter((entry) => isIdle(entry.work)).sort((a, b) => a.usedAt - b.usedAt);
    if (idle) this.#entries.delete(idle.key);
    else if (!this.#resting?.context) [this.#resting = null] = taken.sort((a, b) => a.since - b.since);
    const giver = idle ?? this.#resting;
    if (!giver?.context || !isAtRest(giver.work)) return null;
    const { context } = giver;
    giver.context = null;
    this.#resting = null;
    forget(giver.work, context);
    for (let sequence = 0; sequence < adapterSequences; sequence++) context.disposeSequence(sequence);
    return context;
  }

  #isWanted(): boolean {
    return [...this.#entries.values()].some((entry) => entry.context === null && !this.#options.isIdle(entry.work));
  }

  #withContext(): Entry<Work>[] {
    return [...this.#entries.values()].filter((entry) => entry.adapter !== null && entry.context !== null);
  }
}

/** Bytes of files whose adapters stay loaded although no context has them. */
const mostIdleBytes = 128 * 1024 * 1024;

type Loaded = { native: NativeAdapter; bytes: number };

/** Adapters in memory, by content: those that contexts have, and those that were used last. */
class LoadedAdapters {
  readonly #model: Pick<NativeModel, 'loadAdapter'>;
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

  async close(): Promise<void> {
    const all = [...this.#loaded.values()];
    this.#loaded.clear();
    for (const { native } of all) await native.dispose();
  }
}

const memoryRetrySeconds = 30;

export function failedBy(id: number, error: unknown): Extract<FromChild, { type: 'failed' }> {
  const isShort = error instanceof NoMemoryForAdapters;
  return {
    type: 'failed',
    id,
    fault: isShort ? 'capacity_unavailable' : 'generation_failed',
    message: messageOf(error),
    param: null,
    retryAfterSeconds: isShort ? memoryRetrySeconds : null,
  };
}
