import type { Adapter, Delta } from '../port.ts';
import { failedBy, Lanes } from './adapters.ts';
import type { ContextOptions, NativeContext, NativeModel, Token } from './binding.ts';
import type { Prompt } from './checkpoints.ts';
import type { Generation, TakeResult } from './generation.ts';
import type { LogprobReader } from './logprobs.ts';
import { adapterSequences } from './memory.ts';
import { PrefixCache } from './prefix-cache.ts';
import type { ChildConfig, FromChild } from './protocol.ts';
import { type BatchStep, Scheduler, type SlotAdmission } from './scheduler.ts';
import { noToken, type SamplingOutput, StepTime, sample, ThroughputMeter } from './step-time.ts';

export type TextRunnerOptions = {
  model: Pick<NativeModel, 'loadAdapter' | 'createContext' | 'createCheckpoint' | 'facts'>;
  config: ChildConfig;
  logprobs: Pick<LogprobReader, 'read'>;
  send: (message: FromChild) => void;
  now: () => number;
  /**
   * Native work runs one after the other, in the order in which it was begun (a thread pool of one): sampling can
   * then be queued behind the decoding it needs, which saves a wake-up per step.
   */
  nativeWorkIsOrdered: boolean;
};

/** Deltas wait for each other no longer than this. The first one of a request and the last one do not wait. */
const longestHoldMs = 2;
/** Steps of one lane before the next one with work has its turn. */
const laneSlice = 8;
const noSample = new Uint32Array(0);
const firstSample = Uint32Array.of(0);

export class TextRunner {
  readonly #options: TextRunnerOptions;
  readonly #lanes: Lanes<Scheduler>;
  readonly #prefixes: PrefixCache;
  readonly #generations = new Map<number, { generation: Generation; scheduler: Scheduler; prompt: Prompt }>();
  readonly #throughput: ThroughputMeter;
  /** Took tokens that are not delivered yet; that is done while the next step runs. */
  readonly #toDeliver = new Set<Generation>();
  #deliveredAtMs = 0;
  #stepping = false;
  /** Ended during a step: native code may still use their samplers. */
  #toDispose: Generation[] = [];

  constructor(options: TextRunnerOptions) {
    const { model, config } = options;
    this.#options = options;
    this.#throughput = new ThroughputMeter(options.send);
    this.#prefixes = new PrefixCache(model, config);
    this.#lanes = new Lanes({
      model,
      openContext: (adapter) => model.createContext(contextShape(config, adapter)),
      createWork: (adapter) =>
        new Scheduler({ ...contextShape(config, adapter), checkpoints: this.#prefixes.needCheckpoints }),
      isIdle: (scheduler) => scheduler.running === 0 && scheduler.waiting === 0,
      isAtRest: (scheduler) => scheduler.running === 0,
      forget: (scheduler, context) => {
        scheduler.forget();
        this.#prefixes.forget(context);
      },
      mostAdapters: config.adapterContexts,
      adapterSequences: adapterSequences(config.sequences),
    });
  }

  /** Opens the base's context and runs one step, so that the first request finds everything warm. */
  async open(): Promise<void> {
    this.#lanes.work(null);
    const context = await this.#lanes.use('');
    if (context === null) throw new Error('The base context did not open. This is a bug.');
    context.initBatch(1);
    context.addToBatch(0, 0, Uint32Array.of(0), firstSample);
    await context.decodeBatch();
    context.disposeSequence(0);
  }

  close(): Promise<void> {
    return this.#lanes.close();
  }

  get hasWork(): boolean {
    return this.#lanes.all().some((scheduler) => scheduler.hasWork);
  }

  generate(generation: Generation, request: { adapter: Adapter | null; scope: string; maxTokens: number }): void {
    const { id, prompt } = generation;
    const { scope, maxTokens } = request;
    const scheduler = this.#lanes.work(request.adapter);
    this.#generations.set(id, { generation, scheduler, prompt: { scope, tokens: prompt } });
    scheduler.submit({ id, scope, prompt, maxTokens });
  }

  cancel(id: number): void {
    const generation = this.#forget(id);
    if (generation !== null) this.#options.send({ type: 'finished', id, ...generation.finished(true) });
  }

  async run(mayGoOn: () => boolean): Promise<void> {
    for (const { key, work } of this.#lanes.due((scheduler) => scheduler.hasWork)) {
      let context: NativeContext | null;
      try {
        context = await this.#lanes.use(key);
      } catch (error) {
        this.#failAll(work, error);
        continue;
      }
      // Without a context the lane waits for another one to become idle.
      if (context === null) continue;
      await this.#runLane(key, [work, context], mayGoOn);
      break;
    }
    this.#deliver(null);
  }

  async #runLane(key: string, [scheduler, context]: [Scheduler, NativeContext], mayGoOn: () => boolean): Promise<void> {
    const alone = () => this.#lanes.due((other) => other !== scheduler && other.hasWork).length === 0;
    for (let steps = 0; mayGoOn() && (steps < laneSlice || alone()); steps += 1) {
      if (scheduler.waiting > 0 && !this.#lanes.isResting(key)) {
        for (const admission of scheduler.admit()) await this.#makeReady(scheduler, context, admission);
      }
      const move = scheduler.compact();
      if (move !== null) await this.#prefixes.copy(context, move);
      const step = scheduler.plan(this.#throughput.fairPrompt);
      if (step === null) break;
      this.#stepping = true;
      await this.#step(scheduler, context, step);
      this.#stepping = false;
      for (const generation of this.#toDispose) generation.dispose();
      this.#toDispose.length = 0;
    }
  }

  async #makeReady(scheduler: Scheduler, context: NativeContext, admission: SlotAdmission): Promise<void> {
    const { requestId, sequence } = admission;
    const request = this.#generations.get(requestId);
    const cached = await this.#prefixes.makeReady(context, admission, request?.prompt);
    if (cached < admission.keep) scheduler.prefixLost(sequence, cached);
    if (request === undefined) return;
    request.generation.cachedTokens = cached;
    const beganMs = this.#options.now();
    try {
      request.generation.sampler.makeReady();
    } catch (error) {
      this.#fail(requestId, error);
    }
    request.generation.activeMs += this.#options.now() - beganMs;
  }

  async #step(scheduler: Scheduler, context: NativeContext, step: BatchStep): Promise<void> {
    const time = new StepTime(this.#options.now);
    context.initBatch(step.tokens);
    const outputs: SamplingOutput[] = [];
    for (const { requestId, sequence, position, tokens, sample } of step.items) {
      const last = tokens.length - 1;
      const logitIndexes = !sample ? noSample : last === 0 ? firstSample : Uint32Array.of(last);
      const [batchIndex] = context.addToBatch(sequence, position, tokens, logitIndexes);
      const request = this.#generations.get(requestId);
      if (request !== undefined && batchIndex !== undefined) {
        outputs.push({ generation: request.generation, batchIndex });
      }
    }
    const decoded = context.decodeBatch().then(() => time.shared());
    this.#deliver(step);
    // Behind the delivery, which would hide how long the first ones take.
    const sampleAll = () => Promise.all(outputs.map((output) => sample(context, output, time)));
    let sampled = this.#options.nativeWorkIsOrdered ? sampleAll() : null;
    try {
      await decoded;
    } catch (error) {
      await sampled;
      this.#failStep(scheduler, context, error);
      return;
    }
    sampled ??= sampleAll();
    const tokens = await sampled;
    scheduler.advance();
    time.shared();
    for (const [place, output] of outputs.entries()) {
      let token = tokens[place] ?? noToken;
      const { id } = output.generation;
      if (!this.#generations.has(id)) continue;
      if (token !== noToken && (await this.#take(context, output, token)) === 'resample') {
        token = await sample(context, output, time);
        if (token !== noToken) await this.#take(context, output, token);
      }
      this.#follow(scheduler, output.generation, token);
      time.ownOf(id);
    }
    for (const { requestId, tokens } of step.items) {
      const request = this.#generations.get(requestId);
      if (request === undefined) continue;
      request.generation.activeMs += time.shareOf(requestId, { own: tokens.length, all: step.tokens });
    }
    await this.#prefixes.stepDone(context, step, (id) => this.#generations.get(id)?.prompt);
    this.#throughput.step(step, time.totalMs);
    this.#throughput.report(this.#options.now());
  }

  /** Log probabilities are read here one after the other: their samplers serve all requests. */
  async #take(context: NativeContext, { generation, batchIndex }: SamplingOutput, token: Token): Promise<TakeResult> {
    const top = generation.topLogprobs;
    const logprob = top === null ? null : await this.#options.logprobs.read(context, { batchIndex, token, top });
    return generation.take(token, logprob);
  }

  /** Feeds what the generation goes on with, or ends its sequence. Its text is for `deliver`. */
  #follow(scheduler: Scheduler, generation: Generation, token: Token): void {
    if (!this.#generations.has(generation.id)) return;
    if (token === noToken) {
      this.#fail(generation.id, 'No token fits the required format.');
      return;
    }
    this.#toDeliver.add(generation);
    if (generation.ending) scheduler.end(generation.id);
    else for (const next of generation.next) scheduler.push(generation.id, next);
  }

  /**
   * Sends all deltas in one message, and then the ends. Tiny models step faster than anybody reads; a message for
   * each step would then cost more than the step. `next`: the step in flight.
   */
  #deliver(next: BatchStep | null): void {
    if (this.#toDeliver.size === 0) return;
    const nowMs = this.#options.now();
    let urgent = next === null || next.promptTokens > 0 || this.#throughput.throughput.decodeMsPerToken > longestHoldMs;
    for (const generation of this.#toDeliver) {
      if (generation.textMayEnd) generation.parse();
      if (generation.over || generation.isNew) urgent = true;
    }
    if (!urgent && nowMs - this.#deliveredAtMs < longestHoldMs) return;
    this.#deliveredAtMs = nowMs;

    const items: { id: number; delta: Delta }[] = [];
    const over: Generation[] = [];
    for (const generation of this.#toDeliver) {
      for (const delta of generation.deliver()) items.push({ id: generation.id, delta });
      if (generation.over) over.push(generation);
    }
    this.#toDeliver.clear();
    if (items.length > 0) this.#options.send({ type: 'deltas', items });
    for (const generation of over) {
      this.#forget(generation.id);
      this.#options.send({ type: 'finished', id: generation.id, ...generation.finished(false) });
    }
  }

  #forget(id: number): Generation | null {
    const request = this.#generations.get(id);
    if (request === undefined) return null;
    this.#generations.delete(id);
    this.#toDeliver.delete(request.generation);
    request.scheduler.end(id);
    if (this.#stepping) this.#toDispose.push(request.generation);
    else request.generation.dispose();
    return request.generation;
  }

  #fail(id: number, error: unknown): void {
    if (this.#forget(id) !== null) this.#options.send(failedBy(id, error));
  }

  #failAll(scheduler: Scheduler, error: unknown): void {
    const ids = [...this.#generations].filter(([, request]) => request.scheduler === scheduler).map(([id]) => id);
    for (const id of ids) this.#fail(id, error);
  }

  /** The cells of the sequences in a failed step are in doubt. */
  #failStep(scheduler: Scheduler, context: NativeContext, error: unknown): void {
    const failed = scheduler.fail();
    for (const sequence of failed.sequences) context.disposeSequence(sequence);
    for (const id of failed.requestIds) this.#fail(id, error);
  }
}

/** A context for adapters has a share of the base's sequences: so many of one adapter run at once. */
function contextShape(config: ChildConfig, adapter: Adapter | null) {
  const sequences = adapter === null ? config.sequences : adapterSequences(config.sequences);
  return { ...textContext({ ...config, sequences }), prefillChunkTokens: config.prefillChunkTokens };
}

export function textContext({ sequences, maxContextTokens, batchTokens, threads, kv }: ChildConfig): ContextOptions {
  return { sequences, contextTokens: maxContextTokens, batchTokens, threads, kv, embeddings: false };
}
