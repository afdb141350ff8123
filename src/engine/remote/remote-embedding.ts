import { fault } from '#kernel';
import type { Embedded, EmbeddingInputs, PreparedEmbedding } from '../port.ts';
import { workOf } from '../turns/admission.ts';
import { fieldsOf } from './json-fields.ts';
import { RouteRefusal } from './prepared-calls.ts';
import { readJson } from './read-response.ts';
import { callRoute } from './route-set.ts';
import { loadAdapter, noteFailure, type RemoteContext, sendCall } from './send-call.ts';
import { countTexts } from './token-count.ts';

/** Counts the tokens of inputs, and gives them a slot with a route, or a place in the queue. */
export function prepareEmbedding(
  { routes, prepared, countHere }: RemoteContext,
  inputs: EmbeddingInputs,
  signal: AbortSignal,
): Promise<PreparedEmbedding> {
  prepared.releaseExpired();
  const { target, scope = '' } = inputs;
  const { baseModelId, adapter } = target;
  const estimate = Math.ceil(inputs.texts.join('').length / 4);
  const work = workOf({ promptTokens: estimate, maxTokens: 0 }, routes.contextOf(baseModelId));
  const call = { baseModelId, adapter, prefix: '', tokens: estimate, scope, work };
  return routes.assign(call, async (slot) => {
    const { upstream, route, dialect } = slot.runtime;
    const loaded = adapter === null || slot.isQueued ? null : await loadAdapter(slot.runtime, adapter, signal);
    if (loaded instanceof RouteRefusal) return loaded;
    const options = { route, dialect, upstream, local: countHere, signal };
    const counts = await callRoute(slot.runtime, () => countTexts(inputs.texts, options), { nothingRan: true });
    if (counts instanceof RouteRefusal) return counts;
    if (counts === null)
      throw fault('generation_failed', {
        message: 'The tokens of this input cannot be counted.',
        internal: `Neither the route ${route.id} nor an installed file of ${baseModelId} counts tokens.`,
      });
    const most = inputs.truncate ? inputs.maxInputTokens : Number.POSITIVE_INFINITY;
    const longest = Math.max(...counts);
    if (longest > most && !dialect.truncatesInputs) throw cannotTruncate(longest, inputs.maxInputTokens);
    const counted = counts.map((count) => ({ tokens: Math.min(count, most), truncated: count > most }));
    const tokens = counted.reduce((total, each) => total + each.tokens, 0);
    const handle = prepared.add({ ...call, ...slot, tokens, input: { inputs, tokens } });
    return { handle, inputs: counted, dimensions: route.dimensions ?? 0 };
  });
}

/** Before anything is run: such an engine would refuse the input in words of its own. */
function cannotTruncate(tokens: number, most: number) {
  return fault('invalid_request', {
    message: `truncate: an input has ${tokens} tokens, the limit is ${most}, and the engine that serves this model cannot cut it; shorten it.`,
    param: 'truncate',
  });
}

/** Embeds prepared inputs. */
export async function embedInputs(
  context: RemoteContext,
  { handle, signal }: { handle: string; signal: AbortSignal },
): Promise<Embedded> {
  const call = context.prepared.take(handle);
  if (!('inputs' in call.input)) throw new Error('A prompt of another kind. This is a bug.');
  const { inputs, tokens } = call.input;
  try {
    signal.throwIfAborted();
    const sent = await sendCall(context, call, {
      build: ({ dialect, route }) => dialect.embeddingRequest(route.upstreamModel, inputs),
      signal,
      param: 'input',
    });
    try {
      const vectors = vectorsOf(await readJson(sent.response.body, signal), inputs.texts.length);
      const activeMs = context.clock.monotonicMs() - sent.sentMs;
      context.routes.queue(call.baseModelId).recordRun(call.work, activeMs);
      return { vectors, promptTokens: tokens, activeMs };
    } catch (error) {
      throw noteFailure(sent.runtime, error);
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
