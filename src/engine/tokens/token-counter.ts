import { fileURLToPath } from 'node:url';
import { fault } from '#kernel';
import { type ChildCommand, type EngineProcess, type Log, startProcess } from '../llama/process.ts';
import type { EngineModel } from '../port.ts';
import type { Countable, FromCounter, ToCounter, TokenCount } from './counter-protocol.ts';

/** Counts tokens exactly as a model sees them, without loading the model and without a place in its queue. */
export type TokenCounter = {
  /**
   * Counts in the order of the items. Throws `model_not_installed`, and `capacity_unavailable` when counting fails or takes
   * too long.
   */
  count: (modelId: string, items: readonly Countable[], signal?: AbortSignal) => Promise<TokenCount[]>;
  close: () => Promise<void>;
};

export type TokenCounterOptions = {
  /** The installed models at present; asked at every call. */
  models: () => readonly EngineModel[];
  environment?: Record<string, string | undefined>;
  log: Log;
  /** Replaces the child's program. */
  command?: ChildCommand;
  /** Longest time without an answer of the child, ms. */
  patienceMs?: number;
  /** The child ends when nothing was counted for this long, ms. */
  idleMs?: number;
};

/** Items and characters of one message: it takes some milliseconds, so that callers take turns. */
const mostItems = 200;
const mostChars = 200_000;
/** A child that dies under an item is replaced once: the second time the item is to blame. */
const mostTries = 2;
const retryAfterSeconds = 5;

type Pending = {
  child: EngineProcess<ToCounter>;
  resolve: (counts: TokenCount[]) => void;
  reject: (error: unknown) => void;
};

/** One child process counts for all models; it starts with the first question. */
export function createTokenCounter(options: TokenCounterOptions): TokenCounter {
  const counter = new Counter(options);
  return {
    count: async (modelId, items, signal) => {
      const model = options.models().find(({ id }) => id === modelId);
      if (!model) throw fault('model_not_installed', { internal: `Tokens were to be counted for ${modelId}` });
      const counts: TokenCount[] = [];
      for (const batch of batches(items)) {
        signal?.throwIfAborted();
        counts.push(...(await counter.count(model.ggufPath, batch)));
      }
      return counts;
    },
    close: () => counter.close(),
  };
}

class Counter {
  readonly #options: TokenCounterOptions;
  readonly #pending = new Map<number, Pending>();
  #child: EngineProcess<ToCounter> | null = null;
  #lastId = 0;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(options: TokenCounterOptions) {
    this.#options = options;
  }

  async count(ggufPath: string, items: Countable[]): Promise<TokenCount[]> {
    for (let tries = 1; ; tries++)
      try {
        return await this.#ask(ggufPath, items);
      } catch (error) {
        if (!(error instanceof ChildGone) || tries >= mostTries) throw unavailable(error);
      }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#child?.stop();
  }

  async #ask(ggufPath: string, items: Countable[]): Promise<TokenCount[]> {
    if (this.#isClosed) throw new Error('The counter is closed.');
    const id = ++this.#lastId;
    this.#child ??= this.#start();
    const child = this.#child;
    const answer = new Promise<TokenCount[]>((resolve, reject) => this.#pending.set(id, { child, resolve, reject }));
    child.send({ type: 'count', id, ggufPath, items });
    this.#watch();
    return answer;
  }

  #start(): EngineProcess<ToCounter> {
    const { command = { execPath: process.execPath, script: childScript() }, environment = {}, log } = this.#options;
    const child: EngineProcess<ToCounter> = startProcess<ToCounter, FromCounter>(
      { command, environment, modelId: 'token counter', log },
      {
        message: (message) => this.#receive(message),
        gone: ({ reason, tail }) => this.#end(child, `${reason} ${tail}`),
      },
    );
    return child;
  }

  #receive(message: FromCounter): void {
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.type === 'counted') pending?.resolve(message.counts);
    else pending?.reject(new Error(message.message));
    this.#watch();
  }

  /** While something is asked, a silent child is given up; while nothing is, it ends after a while. */
  #watch(): void {
    const { patienceMs = 60_000, idleMs = 120_000 } = this.#options;
    if (this.#timer) clearTimeout(this.#timer);
    const [action, afterMs] =
      this.#pending.size > 0 ? [() => this.#child?.kill(), patienceMs] : [() => this.#rest(), idleMs];
    this.#timer = setTimeout(action, afterMs).unref();
  }

  #rest(): void {
    const child = this.#child;
    // The next question starts another one.
    this.#child = null;
    void child?.stop();
  }

  #end(child: EngineProcess<ToCounter>, reason: string): void {
    if (this.#child === child) this.#child = null;
    for (const [id, pending] of this.#pending) {
      if (pending.child !== child) continue;
      this.#pending.delete(id);
      pending.reject(new ChildGone(reason));
    }
  }
}

class ChildGone extends Error {}

function unavailable(cause: unknown) {
  return fault('capacity_unavailable', { message: 'Tokens cannot be counted at present.', retryAfterSeconds, cause });
}

function* batches(items: readonly Countable[]): Generator<Countable[]> {
  let batch: Countable[] = [];
  let chars = 0;
  for (const item of items) {
    batch.push(item);
    chars += charsOf(item);
    if (batch.length < mostItems && chars < mostChars) continue;
    yield batch;
    batch = [];
    chars = 0;
  }
  if (batch.length > 0) yield batch;
}

function charsOf(item: Countable): number {
  const texts = item.type === 'inputs' ? item.texts : item.messages.map(({ content }) => content);
  return texts.reduce((sum, text) => sum + text.length, 0);
}

function childScript(): string {
  return fileURLToPath(new URL('./counter-child.ts', import.meta.url));
}
