import type { Adapter } from '../port.ts';
import { failedBy, Lanes } from './adapters.ts';
import type { ContextOptions, NativeContext, NativeModel } from './binding.ts';
import type { ChildConfig, FromChild } from './protocol.ts';
import { ThroughputMeter } from './step-time.ts';

export type EmbeddingRunnerOptions = {
  model: Pick<NativeModel, 'loadAdapter' | 'createContext' | 'facts'>;
  config: ChildConfig;
  send: (message: FromChild) => void;
  now: () => number;
};

type Request = { inputs: readonly Uint32Array[]; adapter: Adapter | null; scope: string };

type Job = {
  id: number;
  scope: string;
  inputs: readonly Uint32Array[];
  vectors: Float32Array[];
  activeMs: number;
  promptTokens: number;
};

const mostScopes = 1_000;

/**
 * Embeds requests in turns of about `batchTokens` tokens, so that a long list does not hold up a short one: those of each scope in
 * turn, so that many requests of one do not hold up another. Inputs are
 * evaluated one by one in sequence 0, the only one whose vector llama.cpp's binding reads.
 */
export class EmbeddingRunner {
  readonly #options: EmbeddingRunnerOptions;
  readonly #lanes: Lanes<Job[]>;
  readonly #throughput: ThroughputMeter;
  readonly #read: (output: Float64Array) => Float32Array;
  readonly #chunkTokens: number;
  readonly #places: Uint32Array;
  #turns = 0;
  readonly #lastTurns = new Map<string, number>();
  #replies: FromChild[] = [];

  constructor(options: EmbeddingRunnerOptions) {
    const { model, config } = options;
    this.#options = options;
    this.#throughput = new ThroughputMeter(options.send);
    const { isScoreNormalised } = model.facts.rerank;
    this.#read = config.kind === 'reranker' ? (output) => scoreOf(output, isScoreNormalised) : normalised;
    this.#chunkTokens = chunkTokensOf(model.facts, config);
    this.#places = Uint32Array.from({ length: this.#chunkTokens }, (_, place) => place);
    this.#lanes = new Lanes({
      model,
      openContext: () => model.createContext(embeddingContext(model.facts, config)),
      createWork: (): Job[] => [],
      isIdle: (jobs) => jobs.length === 0,
      // Each input is embedded for itself.
      isAtRest: () => true,
      forget: () => {},
      mostAdapters: config.adapterContexts,
      adapterSequences: 1,
    });
  }

  /** Opens the base's context and embeds one token, so that the first request finds everything warm. */
  async open(): Promise<void> {
    this.#lanes.work(null);
    const context = await this.#lanes.use('');
    if (context === null) throw new Error('The base context did not open. This is a bug.');
    await this.#embed(context, Uint32Array.of(0));
  }

  close(): Promise<void> {
    return this.#lanes.close();
  }

  get hasWork(): boolean {
    return this.#lanes.all().some((jobs) => jobs.length > 0);
  }

  embed(id: number, { inputs, adapter, scope }: Request): void {
    const promptTokens = inputs.reduce((sum, tokens) => sum + tokens.length, 0);
    this.#lanes.work(adapter).push({ id, scope, inputs, vectors: [], activeMs: 0, promptTokens });
  }

  cancel(id: number): void {
    const job = this.#take(id);
    if (job === null) return;
    const usage = { promptTokens: job.promptTokens, completionTokens: 0, reasoningTokens: 0, cachedTokens: 0 };
    this.#options.send({ type: 'finished', id, reason: 'cancelled', usage, activeMs: job.activeMs });
  }

  async run(mayGoOn: () => boolean): Promise<void> {
    for (const { key, work: jobs } of this.#lanes.due((waiting) => waiting.length > 0)) {
      let context: NativeContext | null;
      try {
        context = await this.#lanes.use(key);
      } catch (error) {
        // The lane is gone with them.
        for (const { id } of jobs.splice(0)) this.#options.send(failedBy(id, error));
        continue;
      }
      if (context === null) continue;
      const job = this.#due(jobs);
      if (job !== undefined) await this.#turn(job, jobs, context, mayGoOn);
      break;
    }
    if (!mayGoOn() || !this.hasWork) this.#reply();
  }

  #reply(): void {
    const replies = this.#replies;
    this.#replies = [];
    for (const reply of replies) this.#options.send(reply);
  }

  #due(jobs: readonly Job[]): Job | undefined {
    const lastTurn = ({ scope }: Job) => this.#lastTurns.get(scope) ?? 0;
    const [first, ...others] = jobs;
    if (first === undefined) return undefined;
    const due = others.reduce((best, job) => (lastTurn(job) < lastTurn(best) ? job : best), first);
    this.#turns += 1;
    this.#lastTurns.delete(due.scope);
    this.#lastTurns.set(due.scope, this.#turns);
    const [oldest] = this.#lastTurns.keys();
    if (this.#lastTurns.size > mostScopes && oldest !== undefined) this.#lastTurns.delete(oldest);
    return due;
  }

  async #turn(job: Job, jobs: Job[], context: NativeContext, mayGoOn: () => boolean): Promise<void> {
    let left = this.#options.config.batchTokens;
    try {
      while (mayGoOn() && jobs.includes(job)) {
        const tokens = job.inputs[job.vectors.length];
        if (tokens === undefined || (left < tokens.length && left < this.#options.config.batchTokens)) break;
        left -= tokens.length;
        const beganMs = this.#options.now();
        job.vectors.push(await this.#embed(context, tokens));
        const ms = this.#options.now() - beganMs;
        job.activeMs += ms;
        this.#throughput.step({ tokens: tokens.length, promptTokens: tokens.length }, ms);
        this.#throughput.report(beganMs + ms);
      }
    } catch (error) {
      this.#fail(job, error);
      return;
    }
    if (job.vectors.length < job.inputs.length) {
      if (this.#take(job.id) !== null) jobs.push(job);
    } else if (this.#take(job.id) !== null) {
      const { id, vectors, promptTokens, activeMs } = job;
      this.#replies.push({ type: 'embedded', id, vectors, promptTokens, activeMs });
    }
  }

  async #embed(context: NativeContext, tokens: Uint32Array): Promise<Float32Array> {
    context.disposeSequence(0);
    for (let from = 0; from < tokens.length; from += this.#chunkTokens) {
      const chunk = tokens.subarray(from, from + this.#chunkTokens);
      context.initBatch(chunk.length);
      // llama.cpp gives every token of an embedding context an output; asking for it avoids a warning each time.
      context.addToBatch(0, from, chunk, this.#places.subarray(0, chunk.length));
      const decoded = context.decodeBatch();
      this.#reply();
      await decoded;
    }
    return this.#read(context.getEmbedding(tokens.length));
  }

  #fail(job: Job, error: unknown): void {
    if (this.#take(job.id) !== null) this.#options.send(failedBy(job.id, error));
  }

  #take(id: number): Job | null {
    for (const jobs of this.#lanes.all()) {
      const place = jobs.findIndex((job) => job.id === id);
      if (place >= 0) return jobs.splice(place, 1)[0] ?? null;
    }
    return null;
  }
}

/** For one input at a time, whoever it is for. */
export function embeddingContext(facts: NativeModel['facts'], config: ChildConfig): ContextOptions {
  const { kind, maxContextTokens: contextTokens, threads, kv } = config;
  const batchTokens = Math.min(chunkTokensOf(facts, config), contextTokens);
  return { sequences: 1, contextTokens, batchTokens, threads, kv, embeddings: true, ranking: kind === 'reranker' };
}

function chunkTokensOf(facts: NativeModel['facts'], { kind, batchTokens, maxContextTokens }: ChildConfig): number {
  return kind === 'embedding' && feedsInChunks(facts) ? batchTokens : maxContextTokens;
}

/** The vector of the last token needs only the cells before it; means over all tokens need them in one batch. */
function feedsInChunks({ pooling, causal }: NativeModel['facts']): boolean {
  return causal && (pooling === null || pooling === 'none' || pooling === 'last');
}

/**
 * How well a document fits a query, from 0 to 1: the first output of the classification head, as a probability. Throws on a value that
 * is not finite, which no client could use.
 */
export function scoreOf(output: Float64Array, isNormalised: boolean): Float32Array {
  const [value = Number.NaN] = output;
  if (!Number.isFinite(value)) throw new Error('The model gave no score.');
  return Float32Array.of(isNormalised ? value : 1 / (1 + Math.exp(-value)));
}

/** Unit length. Throws on values that are not finite, which no client could use. */
export function normalised(values: Float64Array): Float32Array {
  let sum = 0;
  for (const value of values) sum += value * value;
  const length = Math.sqrt(sum);
  if (!Number.isFinite(length) || length === 0) throw new Error('The model gave an embedding without a direction.');
  const unit = new Float32Array(values.length);
  for (let i = 0; i < values.length; i += 1) unit[i] = (values[i] ?? 0) / length;
  return unit;
}
