import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine, Target } from '#engine';
import { type Clock, Fault, fault } from '#kernel';
import { withQueryInstruction } from '#models';

export type EmbeddingEngine = Pick<Engine, 'prepareEmbedding' | 'embed' | 'release' | 'load' | 'pace'>;

/** A model as it embeds for an index: the way of P/embeddings. */
export type Embedder = {
  target: Target;
  queryInstruction: string | null;
  maxInputTokens: number;
};

export type EmbeddedTexts = {
  vectors: Float32Array[];
  promptTokens: number;
  activeMs: number;
  /** Texts that were cut. */
  truncated: number;
};

export type TextRole = 'query' | 'document';

export type EmbeddingRequest = {
  embedder: Embedder;
  role: TextRole;
  texts: readonly string[];
  /** False: a text that is too long is refused with `invalid_request`. */
  truncate: boolean;
  signal: AbortSignal;
};

/** Only queries get the instruction. */
export async function embedTexts(engine: EmbeddingEngine, request: EmbeddingRequest): Promise<EmbeddedTexts> {
  const { embedder, role, texts, truncate, signal } = request;
  const { target, queryInstruction, maxInputTokens } = embedder;
  const final = texts.map((text) => (role === 'query' ? withQueryInstruction(queryInstruction, text) : text));
  const prepared = await engine.prepareEmbedding({ target, texts: final, maxInputTokens, truncate }, signal);
  const longest = Math.max(...prepared.inputs.map(({ tokens }) => tokens));
  if (longest > maxInputTokens) {
    engine.release(prepared.handle);
    const message = `${role}: it has ${longest} tokens, the limit is ${maxInputTokens}; shorten it.`;
    throw fault('invalid_request', { param: role, message });
  }
  const { vectors, promptTokens, activeMs } = await engine.embed({ handle: prepared.handle, signal });
  // An aborted run ends with nothing.
  signal.throwIfAborted();
  if (vectors.length !== texts.length || vectors.some(({ length }) => length !== prepared.dimensions))
    throw fault('generation_failed', { message: 'The model returned vectors that do not fit the request.' });
  return { vectors, promptTokens, activeMs, truncated: prepared.inputs.filter((input) => input.truncated).length };
}

const longestPauseMs = 5_000;

export type Patience = { clock: Pick<Clock, 'monotonicMs'>; forMs: number };

/** Waits while the model loads and while it has no room, up to a bound; in the background nobody is in a hurry. */
export async function embedPatiently(
  engine: EmbeddingEngine,
  request: EmbeddingRequest,
  { clock, forMs }: Patience,
): Promise<EmbeddedTexts> {
  const untilMs = clock.monotonicMs() + forMs;
  for (;;) {
    try {
      return await embedTexts(engine, request);
    } catch (error) {
      request.signal.throwIfAborted();
      if (!(error instanceof Fault) || !mayPass(error) || clock.monotonicMs() > untilMs) throw error;
      const { retryAfterSeconds = 1 } = error.options;
      await sleep(Math.min(longestPauseMs, retryAfterSeconds * 1_000), undefined, { signal: request.signal });
    }
  }
}

function mayPass({ fault: name }: Fault): boolean {
  return name === 'model_warming' || name === 'capacity_unavailable';
}

const politeMs = 2_000;
const lookMs = 25;

/**
 * Lets calls of people go first: waits while models have any, but not for ever, so that a busy server goes on with its work
 * slowly. Calls that come meanwhile share the engine with a batch, turn by turn.
 */
export async function giveWay(
  engine: Pick<Engine, 'load'>,
  { models, clock, signal }: { models: readonly string[]; clock: Pick<Clock, 'monotonicMs'>; signal: AbortSignal },
): Promise<void> {
  const untilMs = clock.monotonicMs() + politeMs;
  const isBusy = () => models.some((id) => sumOf(engine.load(id)) > 0);
  while (isBusy() && clock.monotonicMs() < untilMs) await sleep(lookMs, undefined, { signal });
}

function sumOf({ running, waiting }: { running: number; waiting: number }): number {
  return running + waiting;
}
