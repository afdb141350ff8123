import type { Engine, Target } from '#engine';
import { Fault, fault } from '#kernel';
import { withQueryInstruction } from '#models';

export type EmbeddingEngine = Pick<Engine, 'prepareEmbedding' | 'embed' | 'release' | 'load' | 'throughput'>;

export type Embedder = {
  target: Target;
  queryInstruction: string | null;
  maxInputTokens: number;
};

export type EmbeddedTexts = {
  vectors: Float32Array[];
  promptTokens: number;
  activeMs: number;
  truncated: number;
};

type TextRole = 'query' | 'document';

export type IndexEmbeddingRequest = {
  embedder: Embedder;
  role: TextRole;
  texts: readonly string[];
  /** False: a text that is too long is refused with `invalid_request`. */
  truncate: boolean;
  signal: AbortSignal;
};

function tooLong(role: TextRole, count: string): Fault {
  return fault('invalid_request', { param: role, message: `${role}: it has ${count}; shorten it.` });
}

/** Only queries get the instruction. */
export async function embedTexts(engine: EmbeddingEngine, request: IndexEmbeddingRequest): Promise<EmbeddedTexts> {
  const { embedder, role, texts, truncate, signal } = request;
  const { target, queryInstruction, maxInputTokens } = embedder;
  const final = texts.map((text) => (role === 'query' ? withQueryInstruction(queryInstruction, text) : text));
  const inputs = { target, texts: final, maxInputTokens, truncate };
  const prepared = await engine.prepareEmbedding(inputs, signal).catch((error: unknown) => {
    // A long text is not counted to its end.
    if (error instanceof Fault && error.options.param === 'input')
      throw tooLong(role, `more than ${maxInputTokens} tokens`);
    throw error;
  });
  const longest = Math.max(...prepared.inputs.map(({ tokens }) => tokens));
  if (longest > maxInputTokens) {
    engine.release(prepared.handle);
    throw tooLong(role, `${longest} tokens, the limit is ${maxInputTokens}`);
  }
  const { vectors, promptTokens, activeMs } = await engine.embed({ handle: prepared.handle, signal });
  // An aborted run ends with nothing.
  signal.throwIfAborted();
  if (vectors.length !== texts.length || vectors.some(({ length }) => length !== prepared.dimensions))
    throw fault('generation_failed', { message: 'The model returned vectors that do not fit the request.' });
  return { vectors, promptTokens, activeMs, truncated: prepared.inputs.filter((input) => input.truncated).length };
}
