import { randomInt } from 'node:crypto';
import { assertNever, Fault, fault, messageOf } from '#kernel';
import type { OutputFormat, OutputFormatSpec } from '../text/formats/output-format.ts';
import { OutputParser } from '../text/output-parser.ts';
import { formatOf } from '../text/shown-tokens.ts';
import { type NativeModel, openModel, type Token } from './binding.ts';
import { EmbeddingRunner } from './embedding-runner.ts';
import { Generation, type ReasoningTags } from './generation.ts';
import { LogprobReader } from './logprobs.ts';
import {
  createPromptMaker,
  type PromptMaker,
  reasoningBudget,
  reasoningTags,
  type TokenizedChat,
  type TokenizedInputs,
} from './prompts.ts';
import { type ChildConfig, deserializePrompt, type FromChild, type ToChild } from './protocol.ts';
import { Samplers, samplerConfig } from './sampler.ts';
import { StepLoop } from './step-loop.ts';
import { TextRunner } from './text-runner.ts';
import { createVocabulary, noCharacterRules, type Vocabulary } from './vocabulary.ts';

export type ChildEngineOptions = {
  config: ChildConfig;
  send: (message: FromChild) => void;
  nativeWorkIsOrdered: boolean;
  /** An error that no request can be blamed for: the process must end. */
  failed: (error: unknown) => void;
};

type Request<Type extends ToChild['type']> = Extract<ToChild, { type: Type }>;

const seedRange = 2 ** 32 - 1;

export class ChildEngine {
  readonly #options: ChildEngineOptions;
  readonly #model: NativeModel;
  readonly #vocabulary: Vocabulary;
  readonly #format: OutputFormat | null;
  readonly #tags: ReasoningTags;
  readonly #prompts: PromptMaker;
  readonly #samplers: Samplers;
  readonly #logprobs: LogprobReader;
  /** By handle; the parent releases what is not used. */
  readonly #prepared = new Map<string, TokenizedChat | TokenizedInputs>();
  readonly #runner: TextRunner | EmbeddingRunner;
  readonly #stepLoop: StepLoop;

  static async open(options: ChildEngineOptions): Promise<ChildEngine> {
    const { ggufPath, gpu = false, threads, gpuLayers, mapsFile } = options.config;
    const model = await openModel({ path: ggufPath, gpu, maxThreads: threads, gpuLayers, mapsFile });
    const engine = new ChildEngine(model, options);
    await engine.#runner.open();
    return engine;
  }

  private constructor(model: NativeModel, options: ChildEngineOptions) {
    const { config, send, nativeWorkIsOrdered, failed } = options;
    const now = () => performance.now();
    this.#vocabulary = createVocabulary(model);
    this.#logprobs = new LogprobReader(model, this.#vocabulary);
    const runner =
      config.kind === 'text'
        ? new TextRunner({ model, config, logprobs: this.#logprobs, send, now, nativeWorkIsOrdered })
        : new EmbeddingRunner({ model, config, send, now });
    this.#options = options;
    this.#model = model;
    this.#format = config.kind === 'text' ? formatOf(this.#vocabulary) : null;
    this.#tags = reasoningTags(this.#vocabulary, this.#format);
    this.#samplers = new Samplers(model, config.kind === 'text' ? this.#vocabulary.characterRules() : noCharacterRules);
    this.#prompts = createPromptMaker(model, this.#vocabulary, () => new Date());
    this.#runner = runner;
    this.#stepLoop = new StepLoop({
      leaseBack: () => send({ type: 'lease_back' }),
      hasWork: () => runner.hasWork,
      run: (mayGoOn) => runner.run(mayGoOn),
      failed,
    });
  }

  get dimensions(): number {
    return this.#options.config.kind === 'embedding' ? this.#model.addon.getEmbeddingVectorSize() : 0;
  }

  get format(): OutputFormatSpec | null {
    return this.#format?.spec ?? null;
  }

  get systemInfo(): string {
    return this.#model.systemInfo;
  }

  get runsOn(): string {
    return this.#model.runsOn;
  }

  async close(): Promise<void> {
    await this.#stepLoop.end();
    await this.#runner.close();
    this.#samplers.close();
    this.#logprobs.close();
    await this.#model.dispose();
  }

  receive(message: Exclude<ToChild, { type: 'load' } | { type: 'stop' }>): void {
    switch (message.type) {
      case 'prepare_chat':
        this.#orFail(message.id, () => this.#prepareChat(message));
        break;
      case 'prepare_embedding':
        this.#orFail(message.id, () => this.#prepareEmbedding(message));
        break;
      case 'generate':
        this.#orFail(message.id, () => this.#generate(message));
        break;
      case 'embed':
        this.#orFail(message.id, () => this.#embed(message));
        break;
      case 'cancel':
        this.#runner.cancel(message.id);
        break;
      case 'release':
        this.#prepared.delete(message.handle);
        break;
      case 'grant':
        this.#stepLoop.grant();
        break;
      case 'yield':
        this.#stepLoop.yield();
        break;
      default:
        assertNever(message);
    }
  }

  #prepareChat({ id, handle, prompt, grammars, read }: Request<'prepare_chat'>): void {
    const prepared = this.#prompts.chat(deserializePrompt(prompt), grammars, read);
    this.#prepared.set(handle, prepared);
    this.#options.send({ type: 'prepared', id, promptTokens: prepared.facts.tokens.length, inputs: [] });
  }

  #prepareEmbedding(message: Request<'prepare_embedding'>): void {
    const { prepared, report } = this.#prompts.inputs(message);
    this.#prepared.set(message.handle, prepared);
    const promptTokens = report.reduce((sum, input) => sum + input.tokens, 0);
    this.#options.send({ type: 'prepared', id: message.id, promptTokens, inputs: report });
  }

  #generate({ id, handle, sampling, cacheScope, keepsPrompt }: Request<'generate'>): void {
    const { maxContextTokens } = this.#options.config;
    const prepared = this.#take(handle);
    if (keepsPrompt) this.#prepared.set(handle, prepared);
    if (!(this.#runner instanceof TextRunner) || prepared.kind !== 'chat') throw refusal('This model does not write.');
    const { facts, adapter, tools, parallelToolCalls } = prepared;
    const { startsInReasoning } = facts;
    const { vocabularySize } = this.#model.facts;
    const unknown = sampling.logitBias?.find(({ token }) => token >= vocabularySize);
    if (unknown !== undefined) throw unknownToken(unknown.token, vocabularySize);
    if (facts.tokens.length >= maxContextTokens) throw refusal('The prompt exceeds the context length.');
    const generation = new Generation({
      id,
      prompt: facts,
      sampling,
      reasoningBudget: reasoningBudget(prepared.reasoningEffort, sampling, this.#tags),
      contextTokens: maxContextTokens,
      sampler: this.#samplers.of(
        samplerConfig(sampling, { randomSeed: randomInt(seedRange), promptTokens: facts.tokens }),
      ),
      parser: new OutputParser({ ...prepared, startsInReasoning, stop: sampling.stop }),
      textMayEnd: sampling.stop.length > 0 || (tools.length > 0 && !parallelToolCalls),
      vocabulary: this.#vocabulary,
      tags: this.#tags,
    });
    this.#runner.generate(generation, { adapter, scope: cacheScope, maxTokens: sampling.maxTokens });
  }

  #embed({ id, handle }: Request<'embed'>): void {
    const prepared = this.#take(handle);
    if (!(this.#runner instanceof EmbeddingRunner) || prepared.kind !== 'inputs')
      throw refusal('This model does not embed.');
    if (prepared.inputs.some((tokens) => tokens.length > this.#options.config.maxContextTokens)) {
      throw refusal('An input exceeds the context length.');
    }
    this.#runner.embed(id, prepared);
  }

  #take(handle: string): TokenizedChat | TokenizedInputs {
    const prepared = this.#prepared.get(handle);
    this.#prepared.delete(handle);
    if (prepared === undefined) throw refusal('This prompt was forgotten, because it waited too long.');
    return prepared;
  }

  #orFail(id: number, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#options.send(failure(id, error));
    }
  }
}

function refusal(message: string): Fault {
  return fault('invalid_request', { message });
}

function unknownToken(token: Token, vocabularySize: number): Fault {
  return fault('invalid_request', {
    param: 'logit_bias',
    message: `logit_bias: this model has no token ${token}; its tokens are 0 to ${vocabularySize - 1}`,
  });
}

function failure(id: number, error: unknown): FromChild {
  const isCallers = error instanceof Fault && error.fault === 'invalid_request';
  return {
    type: 'failed',
    id,
    fault: isCallers ? 'invalid_request' : 'generation_failed',
    message: messageOf(error),
    param: error instanceof Fault ? (error.options.param ?? null) : null,
    retryAfterSeconds: null,
  };
}
