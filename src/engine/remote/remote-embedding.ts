import type { Readable } from 'node:stream';
import { fault } from '#kernel';
import type { Embedded, EmbeddingInputs, PreparedEmbedding } from '../port.ts';
import { RouteRefusal } from './route-runtime.ts';
import { type RemoteContext, sendCall } from './route-set.ts';
import { countTexts } from './token-count.ts';
import { readText } from './upstream.ts';
import { fieldsOf } from './wire.ts';

/** Counts the tokens of inputs, at a route that may run them. */
export async function prepareEmbedding(
  { routes, countHere }: RemoteContext,
  inputs: EmbeddingInputs,
  signal: AbortSignal,
): Promise<PreparedEmbedding> {
  const { target, scope = '', truncate, maxInputTokens } = inputs;
  const estimate = Math.ceil(inputs.texts.join('').length / 4);
  const call = { ...target, prefix: '', tokens: estimate, scope };
  const { route, result, tried } = await routes.prepareAtAny(call, async ({ route, dialect, upstream }) => {
    const counts = await countTexts(inputs.texts, { route, dialect, upstream, local: countHere, signal });
    if (counts === null)
      throw fault('generation_failed', {
        message: 'The tokens of this input cannot be counted.',
        internal: `Neither the route ${route.id} nor an installed file of ${target.baseModelId} counts tokens.`,
      });
    const longest = Math.max(...counts);
    if (truncate && longest > maxInputTokens && !dialect.truncatesInputs) throw cannotTruncate(longest, maxInputTokens);
    return counts;
  });
  const most = truncate ? maxInputTokens : Number.POSITIVE_INFINITY;
  const counted = result.map((count) => ({ tokens: Math.min(count, most), truncated: count > most }));
  const tokens = counted.reduce((total, each) => total + each.tokens, 0);
  const handle = routes.store({ ...call, tokens, tried, input: { inputs, tokens } });
  return { handle, inputs: counted, dimensions: route.dimensions ?? 0 };
}

/** Before anything is run: such an engine would refuse the input in words of its own. */
function cannotTruncate(tokens: number, most: number) {
  return fault('invalid_request', {
    message: `truncate: an input has ${tokens} tokens, the limit is ${most}, and the engine that serves this model cannot cut it; shorten it.`,
    param: 'truncate',
  });
}

export async function embedInputs(
  { routes, clock }: RemoteContext,
  { handle, signal }: { handle: string; signal: AbortSignal },
): Promise<Embedded> {
  const call = routes.take(handle);
  if (!('inputs' in call.input)) throw new Error('A prompt of another kind. This is a bug.');
  const { inputs, tokens } = call.input;
  signal.throwIfAborted();
  return routes.run(call, signal, async (runtime) => {
    let sentMs = 0;
    const response = await sendCall(runtime, call, {
      ...runtime.dialect.embeddingRequest(runtime.route.upstreamModel, inputs),
      onSend: () => {
        sentMs = clock.monotonicMs();
      },
      maxReasoningTokens: null,
      signal,
      param: 'input',
    });
    if (response instanceof RouteRefusal) return response;
    const vectors = vectorsOf(await readJson(response.body, signal), inputs.texts.length);
    const activeMs = clock.monotonicMs() - sentMs;
    runtime.measured(activeMs, 0);
    return { vectors, promptTokens: tokens, activeMs };
  });
}

async function readJson(body: Readable, signal: AbortSignal): Promise<unknown> {
  try {
    return JSON.parse(await readText(body));
  } catch (error) {
    signal.throwIfAborted();
    throw fault('generation_failed', { internal: 'The answer is not JSON or was cut.', cause: error });
  }
}

/** Vectors of unit length in the order of the inputs, from OpenAI's form or a bare list (TEI). */
function vectorsOf(answer: unknown, inputs: number): Float32Array[] {
  const { data } = fieldsOf(answer);
  const rows = Array.isArray(answer) ? answer.map((embedding, index) => ({ embedding, index })) : data;
  if (!Array.isArray(rows) || rows.length !== inputs) throw wrongVectors();
  const byIndex = new Map(rows.map(fieldsOf).map(({ embedding, index }) => [index, embedding]));
  return Array.from({ length: inputs }, (_, index) => {
    const embedding = byIndex.get(index);
    if (!Array.isArray(embedding)) throw wrongVectors();
    return normalised(embedding);
  });
}

function normalised(values: readonly unknown[]): Float32Array {
  const vector = Float32Array.from(values, (value) => (typeof value === 'number' ? value : Number.NaN));
  const length = Math.hypot(...vector);
  return length > 0 ? vector.map((value) => value / length) : vector;
}

function wrongVectors() {
  return fault('generation_failed', {
    message: 'The model returned vectors that do not fit the request.',
    internal: 'The answer of the engine has another form, or too few vectors.',
  });
}
