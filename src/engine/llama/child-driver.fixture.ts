import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { nodeCommand } from '#processes';
import type { ChatPrompt, Delta, Sampling } from '../port.ts';
import { formats } from '../text/formats/formats.fixture.ts';
import type { OutputFormatSpec } from '../text/formats/output-format.ts';
import { grammarTexts } from '../text/grammar.ts';
import type { EmbeddingTexts } from './embedding-texts.ts';
import { stackKb } from './engine-process.ts';
import { type ChildConfig, type FromChild, serializePrompt, type ToChild } from './protocol.ts';

/** Drives a real engine child over its channel, as the parent does. */
export type Reply = Extract<FromChild, { type: 'prepared' | 'finished' | 'embedded' | 'failed' }>;
export type Written = { reply: Reply; deltas: Delta[]; content: string; reasoning: string };

const greedy: Sampling = {
  maxTokens: 40,
  temperature: 0,
  topP: 1,
  presencePenalty: 0,
  frequencyPenalty: 0,
  seed: 1,
  stop: [],
};

export const smallConfig = {
  modelId: 'test',
  kind: 'text',
  maxContextTokens: 1024,
  sequences: 4,
  adapterContexts: 2,
  batchTokens: 128,
  prefillChunkTokens: 32,
  threads: 1,
} as const;

export function userPrompt(content: string, more: Partial<ChatPrompt> = {}): ChatPrompt {
  return {
    target: { baseModelId: 'test', adapter: null },
    messages: [{ role: 'user', content }],
    tools: [],
    toolChoice: { mode: 'auto' },
    parallelToolCalls: true,
    responseFormat: { type: 'text' },
    reasoningEffort: 'none',
    ...more,
  };
}

export class ChildDriver {
  readonly process: ChildProcess;
  readonly exited: Promise<unknown>;
  /** Messages that belong to no request, in order. */
  readonly notices: FromChild[] = [];
  readonly #waiting = new Map<number, { resolve: (reply: Reply) => void; reject: (error: Error) => void }>();
  readonly #deltas = new Map<number, Delta[]>();
  readonly #listeners = new Set<() => void>();
  #lastId = 0;
  grants = true;

  static async start(config: ChildConfig, environment: Record<string, string> = { UV_THREADPOOL_SIZE: '1' }) {
    const driver = new ChildDriver(environment);
    driver.send({ type: 'load', config });
    const loaded = await driver.notice((message) => message.type === 'ready' || message.type === 'load_failed');
    if (loaded.type === 'ready' && loaded.format !== null) driver.format = loaded.format;
    return driver;
  }

  /** How the model writes its output, as it said. */
  format: OutputFormatSpec = formats.json.spec;

  constructor(environment: Record<string, string>) {
    this.process = fork(fileURLToPath(new URL('./child.ts', import.meta.url)), [], {
      env: environment,
      ...nodeCommand({ stackKb }),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.exited = once(this.process, 'exit');
    this.process.on('exit', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('The child has ended.'));
    });
    this.process.on('message', (message) => this.#receive(message as FromChild));
  }

  send(message: ToChild): void {
    if (!this.process.connected) throw new Error('The child has ended.');
    this.process.send(message);
  }

  /** Resolves with the first notice that fits, also one that came before. */
  async notice(fits: (message: FromChild) => boolean): Promise<FromChild> {
    for (;;) {
      const found = this.notices.find(fits);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#listeners.add(resolve));
    }
  }

  async prepare(
    prompt: ChatPrompt,
    grammars = grammarTexts(prompt, this.format),
  ): Promise<{ handle: string; reply: Reply }> {
    const id = this.#nextId();
    const handle = `handle ${id}`;
    const reply = this.#replyTo(id);
    this.send({ type: 'prepare_chat', id, handle, prompt: serializePrompt(prompt), grammars });
    return { handle, reply: await reply };
  }

  /** Begins a prepared generation; `id` is for `cancel`. */
  generate(handle: string, sampling: Partial<Sampling> = {}, cacheScope = 'a'): { id: number; done: Promise<Written> } {
    const id = this.#nextId();
    const deltas: Delta[] = [];
    this.#deltas.set(id, deltas);
    const reply = this.#replyTo(id);
    this.send({ type: 'generate', id, handle, sampling: { ...greedy, ...sampling }, cacheScope, keepsPrompt: false });
    if (this.grants) this.send({ type: 'grant' });
    const textOf = (type: 'content' | 'reasoning') =>
      deltas.map((delta) => (delta.type === type ? delta.text : '')).join('');
    return {
      id,
      done: reply.then((end) => ({ reply: end, deltas, content: textOf('content'), reasoning: textOf('reasoning') })),
    };
  }

  /** Prepares and generates. */
  async write(prompt: ChatPrompt, sampling: Partial<Sampling> = {}, cacheScope = 'a'): Promise<Written> {
    const { handle, reply } = await this.prepare(prompt);
    if (reply.type !== 'prepared') throw new Error(JSON.stringify(reply));
    return this.generate(handle, sampling, cacheScope).done;
  }

  async embed(texts: string[], more: Partial<EmbeddingTexts> & { adapter?: ChatPrompt['target']['adapter'] } = {}) {
    const id = this.#nextId();
    const handle = `handle ${id}`;
    const prepared = this.#replyTo(id);
    const usual = { adapter: null, maxInputTokens: 500, truncate: true };
    this.send({ type: 'prepare_embedding', id, handle, texts, ...usual, ...more });
    const report = await prepared;
    if (report.type !== 'prepared') throw new Error(JSON.stringify(report));
    const embedId = this.#nextId();
    const embedded = this.#replyTo(embedId);
    this.send({ type: 'embed', id: embedId, handle });
    this.send({ type: 'grant' });
    const reply = await embedded;
    if (reply.type !== 'embedded') throw new Error(JSON.stringify(reply));
    return { report, reply, vectors: reply.vectors };
  }

  async stop(): Promise<void> {
    this.send({ type: 'stop' });
    await this.exited;
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  #replyTo(id: number): Promise<Reply> {
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  #receive(message: FromChild): void {
    switch (message.type) {
      case 'deltas':
        for (const { id, delta } of message.items) this.#deltas.get(id)?.push(delta);
        return;
      case 'ready':
      case 'load_failed':
      case 'throughput':
      case 'lease_back':
        this.notices.push(message);
        for (const listener of this.#listeners) listener();
        this.#listeners.clear();
        return;
      default: {
        const reply = this.#waiting.get(message.id);
        if (reply === undefined) throw new Error(`A second reply: ${JSON.stringify(message)}`);
        this.#waiting.delete(message.id);
        reply.resolve(message);
      }
    }
  }
}

/** The usage of a finished generation. */
export function finishedOf({ reply }: Written): Extract<Reply, { type: 'finished' }> {
  if (reply.type !== 'finished') throw new Error(JSON.stringify(reply));
  return reply;
}
