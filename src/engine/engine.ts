import { fileURLToPath } from 'node:url';
import { type Clock, fault, systemClock } from '#kernel';
import { type ChoiceRun, generateChoices } from './choices.ts';
import { defaultSettings, type EngineOptions, type EngineSettings } from './engine-settings.ts';
import { type AdmittedRequest, workOf } from './llama/admission.ts';
import { embeddingTexts, inputParam } from './llama/embedding-texts.ts';
import { GrammarCompiler } from './llama/grammar-compiler.ts';
import { Pool } from './llama/pool.ts';
import { serializePrompt } from './llama/protocol.ts';
import type { ModelRuntime } from './llama/runtime.ts';
import type { Session } from './llama/session.ts';
import { ChildGone, type Prepared, type PrepareRequest, unreadable } from './llama/session-requests.ts';
import type { Delta, Embedded, Engine, EngineModel, Finished, GenerationRequest } from './port.ts';
import { notInstalled, readsTextOnly } from './refusals.ts';
import { imagesOf } from './remote/wire.ts';
import { standardFormat } from './text/formats/output-format.ts';
import { isConstrained, noGrammars } from './text/grammar.ts';
import { isLargePrompt, PromptReader, promptCharacters } from './tokens/prompt-reader.ts';

type Parts = { pool: Pool; handles: PreparedHandles; settings: EngineSettings; models: EngineOptions['models'] };
type PrepareCall = {
  modelId: string;
  scope: string;
  work: { promptTokens: number; maxTokens: number };
  signal: AbortSignal;
  /** The field that the text came in. */
  param: string;
  request: (handle: string, session: Session) => Promise<PrepareRequest>;
};

export function createEngine(options: EngineOptions): Engine {
  const settings = { ...defaultSettings(), ...options.settings };
  const clock = options.clock ?? systemClock;
  const pool = new Pool({
    models: options.models,
    settings,
    clock,
    log: options.log,
    childScript: options.childScript ?? fileURLToPath(new URL('./llama/child.ts', import.meta.url)),
    environment: options.environment ?? {},
    freeMemory: options.freeMemory ?? (() => process.availableMemory()),
    gpu: options.gpu ?? (async () => false),
  });
  const handles = new PreparedHandles(clock);
  const { environment = {}, log } = options;
  const compiler = new GrammarCompiler({ log, environment });
  const reader = new PromptReader({ log, environment });
  const parts: Parts = { pool, handles, settings, models: options.models };

  return {
    prepareChat: async (prompt, signal) => {
      const [image] = imagesOf(prompt.messages);
      if (image) throw readsTextOnly(image);
      const { scope = '' } = prompt;
      const characters = promptCharacters(prompt);
      const request = async (handle: string, { facts, config }: Session): Promise<PrepareRequest> => {
        const compiling = isConstrained(prompt)
          ? compiler.of({ input: prompt, format: facts.format ?? standardFormat, scope, signal })
          : noGrammars;
        if (!isLargePrompt(characters, prompt))
          return { type: 'prepare_chat', handle, prompt: serializePrompt(prompt), grammars: await compiling };
        const [grammars, read] = await Promise.all([compiling, reader.chat(prompt, config, signal)]);
        return { type: 'prepare_chat', handle, prompt: serializePrompt({ ...prompt, messages: [] }), grammars, read };
      };
      const { handle, prepared, session } = await prepare(parts, {
        modelId: prompt.target.baseModelId,
        scope,
        work: { promptTokens: characters / charactersPerToken, maxTokens: prompt.maxTokens ?? 0 },
        signal,
        param: 'messages',
        request,
      });
      const { maxContextTokens } = session.config;
      return { handle, promptTokens: prepared.promptTokens, maxContextTokens };
    },
    prepareEmbedding: async (inputs, signal) => {
      const { target, texts, query = '', scope = '' } = inputs;
      const { baseModelId, adapter } = target;
      const characters = texts.reduce((sum, { length }) => sum + length + query.length, 0);
      const request = async (handle: string, { config }: Session): Promise<PrepareRequest> => {
        const sent = { type: 'prepare_embedding', handle, adapter, scope, ...embeddingTexts(inputs) } as const;
        if (!isLargePrompt(characters)) return sent;
        return { ...sent, texts: [], query: '', read: await reader.inputs(inputs, config, signal) };
      };
      const { handle, prepared, session } = await prepare(parts, {
        modelId: baseModelId,
        scope,
        work: { promptTokens: characters / charactersPerToken, maxTokens: 0 },
        signal,
        param: inputParam(inputs),
        request,
      });
      return { handle, inputs: prepared.inputs, dimensions: session.facts.dimensions };
    },
    generate: (generation, onDelta) => generate(parts, generation, onDelta),
    embed: (request) => embed(parts, request),
    tokenize: async (input, signal) => [...(await reader.tokens(input, modelOf(parts, input.baseModelId), signal))],
    detokenize: (input, signal) => reader.text(input, modelOf(parts, input.baseModelId), signal),
    release: (handle) => handles.release(handle),
    status: (modelId) => pool.runtime(modelId).status(),
    throughput: (modelId) => pool.runtime(modelId).throughput(),
    load: (modelId) => pool.runtime(modelId).admission.load(),
    warm: (modelId) => pool.runtime(modelId).warm(),
    close: async () => {
      await Promise.all([compiler.close(), reader.close(), pool.close()]);
    },
  };
}

const charactersPerToken = 4;

function modelOf({ models }: Parts, modelId: string): EngineModel {
  const model = models().find(({ id }) => id === modelId);
  if (!model) throw notInstalled(modelId);
  return model;
}

function contextOf({ models }: Parts, modelId: string): number {
  return models().find(({ id }) => id === modelId)?.maxContextTokens ?? 0;
}

/**
 * Takes a place, waits for the model, tokenises. A child that dies under it is replaced once: nothing was lost. Only a prompt
 * that it crashed at is not tried again.
 */
async function prepare(parts: Parts, call: PrepareCall) {
  const { pool, handles } = parts;
  handles.releaseExpired();
  call.signal.throwIfAborted();
  const runtime = pool.runtime(call.modelId);
  const place = runtime.admission.enter({ scope: call.scope, work: workOf(call.work, contextOf(parts, call.modelId)) });
  try {
    const handle = handles.next();
    let tries = 0;
    for (;;) {
      tries += 1;
      const session: Session = runtime.ready() ?? (await runtime.acquire(call.signal));
      const request = await call.request(handle, session);
      const prepared: Prepared | null = await session.prepare(request, call.signal).catch((error: unknown) => {
        if (!(error instanceof ChildGone)) throw error;
        if (error.blame === 'certain' || (tries > 1 && error.blame === 'possible')) throw unreadable(call.param);
        if (tries > 1) throw runtime.warming();
        return null;
      });
      if (prepared === null) continue;
      handles.add(handle, { runtime, session, place, promptTokens: prepared.promptTokens });
      return { handle, prepared, session };
    }
  } catch (error) {
    place.free();
    throw error;
  }
}

async function generate(
  parts: Parts,
  generation: GenerationRequest,
  onDelta: (delta: Delta) => void,
): Promise<Finished> {
  const { handle, cacheScope, signal } = generation;
  const { session, place, promptTokens } = takeAlive(parts.handles, handle);
  let isKept = true;
  const generateOne = async ({ sampling, isLast, onDelta: deliver }: ChoiceRun): Promise<Finished> => {
    if (signal.aborted) {
      const usage = { promptTokens, completionTokens: 0, reasoningTokens: 0, cachedTokens: 0 };
      return { reason: 'cancelled', usage, activeMs: 0 };
    }
    isKept = !isLast;
    const request = { handle, sampling, cacheScope, signal, onDelta: deliver, keepsPrompt: !isLast };
    const finished = await session.generate(request);
    const { usage, activeMs } = finished;
    const read = usage.promptTokens - usage.cachedTokens;
    place.worked(activeMs, workOf({ promptTokens: read, maxTokens: usage.completionTokens }));
    return finished;
  };
  try {
    if ((generation.choices ?? 1) > 1) return await generateChoices(generation, onDelta, generateOne);
    return await generateOne({ sampling: generation.sampling, isLast: true, onDelta });
  } finally {
    if (isKept) session.release(handle);
    place.free();
  }
}

async function embed(parts: Parts, request: { handle: string; signal: AbortSignal }): Promise<Embedded> {
  const { handle, signal } = request;
  const { session, place } = takeAlive(parts.handles, handle);
  try {
    if (signal.aborted) {
      session.release(handle);
      throw signal.reason;
    }
    const limitMs = parts.settings.capacityWaitMs;
    const embedded = await session.embed({ handle, signal, limitMs, refusal: place.refusal });
    place.worked(embedded.activeMs, workOf({ promptTokens: embedded.promptTokens, maxTokens: 0 }));
    return embedded;
  } finally {
    place.free();
  }
}

/** A prompt whose child died before its run is lost; nothing has run, so the caller may come again when the model is back. */
function takeAlive(handles: PreparedHandles, handle: string): PreparedRun {
  const waiting = handles.take(handle);
  if (waiting === undefined) {
    throw fault('capacity_unavailable', {
      message: 'The prompt waited too long for its run.',
      retryAfterSeconds: 1,
      internal: 'The handle is unknown or has expired.',
    });
  }
  if (waiting.session.alive) return waiting;
  waiting.place.free();
  waiting.runtime.warm();
  throw waiting.runtime.warming();
}

export type PreparedRun = { runtime: ModelRuntime; session: Session; place: AdmittedRequest; promptTokens: number };

const keptMs = 60_000;

export class PreparedHandles {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, PreparedRun & { untilMs: number }>();
  #last = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  next(): string {
    this.#last += 1;
    return `p${this.#last}`;
  }

  add(handle: string, waiting: PreparedRun): void {
    this.#waiting.set(handle, { ...waiting, untilMs: this.#clock.monotonicMs() + keptMs });
  }

  take(handle: string): PreparedRun | undefined {
    const waiting = this.#waiting.get(handle);
    this.#waiting.delete(handle);
    return waiting;
  }

  release(handle: string): void {
    const waiting = this.take(handle);
    if (waiting === undefined) return;
    waiting.session.release(handle);
    waiting.place.free();
  }

  /** Called before each new request, so that forgotten prompts never keep anybody out. */
  releaseExpired(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [handle, { untilMs, session, place }] of this.#waiting) {
      if (untilMs <= nowMs) this.release(handle);
      // The prompt died with its child, but its caller still learns that the model starts anew.
      else if (!session.alive) place.free();
    }
  }
}
