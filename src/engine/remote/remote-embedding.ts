import { fault } from '#kernel';
import type { Embedded, EmbeddingInputs, PreparedEmbedding } from '../port.ts';
import { workOf } from '../turns/admission.ts';
import { fieldsOf } from './json-fields.ts';
import { readJson } from './read-response.ts';
import type { RemoteParts } from './remote-parts.ts';
import { reach } from './route-set.ts';
import { Elsewhere } from './routed-call.ts';
import { adapterFields, doubting, sendCall } from './send-call.ts';
import { countTexts } from './token-count.ts';

/** Counts the tokens of inputs, and gives them their place with a route. */
export function prepareEmbedding(
  { routes, waiting, countHere }: RemoteParts,
  inputs: EmbeddingInputs,
  signal: AbortSignal,
): Promise<PreparedEmbedding> {
  waiting.forgetExpired();
  const { target, scope = '' } = inputs;
  const { baseModelId, adapter } = target;
  const tokens = Math.ceil(inputs.texts.join('').length / 4);
  const work = workOf({ promptTokens: tokens, maxTokens: 0 }, routes.contextOf(baseModelId));
  return routes.place({ baseModelId, adapter, prefix: '', tokens, scope, work }, async (runtime, leave, isInLine) => {
    const { upstream, route, dialect } = runtime;
    const ready = adapter === null || isInLine ? null : await adapterFields(runtime, adapter, signal);
    if (ready instanceof Elsewhere) return ready;
    const options = { route, dialect, upstream, local: countHere, signal };
    const counts = await reach(runtime, () => countTexts(inputs.texts, options), { nothingRan: true });
    if (counts instanceof Elsewhere) return counts;
    if (counts === null) {
      throw fault('generation_failed', {
        message: 'The tokens of this input cannot be counted.',
        internal: `Neither the route ${route.id} nor an installed file of ${baseModelId} counts tokens.`,
      });
    }
    const most = inputs.truncate ? inputs.maxInputTokens : Number.POSITIVE_INFINITY;
    const longest = Math.max(...counts);
    if (longest > most && !dialect.truncatesInputs) throw cannotBeCut(longest, inputs.maxInputTokens);
    const counted = counts.map((count) => ({ tokens: Math.min(count, most), truncated: count > most }));
    const sum = counted.reduce((total, each) => total + each.tokens, 0);
    const place = { runtime, leave, isInLine };
    const call = { baseModelId, adapter, prefix: '', tokens: sum, scope, work };
    const handle = waiting.keep({ ...place, ...call, what: { inputs, tokens: sum } });
    return { handle, inputs: counted, dimensions: route.dimensions ?? 0 };
  });
}

/** Told before anything is run: such an engine would refuse the input in words of its own. */
function cannotBeCut(tokens: number, most: number) {
  return fault('invalid_request', {
    message: `truncate: an input has ${tokens} tokens, the limit is ${most}, and the engine that serves this model cannot cut it; shorten it.`,
    param: 'truncate',
  });
}

/** Embeds inputs that have their place. */
export async function embedInputs(
  parts: RemoteParts,
  { handle, signal }: { handle: string; signal: AbortSignal },
): Promise<Embedded> {
  const call = parts.waiting.takeBack(handle);
  if (!('inputs' in call.what)) throw new Error('A prompt of another kind. This is a bug.');
  const { inputs, tokens } = call.what;
  try {
    signal.throwIfAborted();
    const sent = await sendCall(parts, call, {
      request: ({ dialect, route }) => dialect.embeddingRequest(route.upstreamModel, inputs),
      signal,
      param: 'input',
    });
    try {
      const vectors = vectorsOf(await readJson(sent.response.body, signal), inputs.texts.length);
      const activeMs = parts.clock.monotonicMs() - sent.sentMs;
      parts.routes.line(call.baseModelId).ran(call.work, activeMs);
      return { vectors, promptTokens: tokens, activeMs };
    } catch (error) {
      throw doubting(sent.runtime, error);
    } finally {
      sent.leave();
    }
  } finally {
    call.leave();
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
