import type { Readable } from 'node:stream';
import { fault } from '#kernel';
import type { Embedded, EmbeddingInputs, PreparedEmbedding } from '../port.ts';
import { RouteRefusal, type RouteRuntime } from './route-runtime.ts';
import { type RemoteContext, sendCall } from './route-set.ts';
import { countTexts } from './token-count.ts';
import { readText } from './upstream.ts';
import { countOf, fieldsOf } from './wire.ts';

/** Counts the tokens of inputs, at a route that may run them. */
export async function prepareEmbedding(
  { routes, countHere }: RemoteContext,
  inputs: EmbeddingInputs,
  signal: AbortSignal,
): Promise<PreparedEmbedding> {
  const { target, scope = '', truncate, maxInputTokens, maxDocumentTokens = Infinity } = inputs;
  const estimate = Math.ceil(inputs.texts.join('').length / 4);
  const call = { ...target, prefix: '', tokens: estimate, scope };
  const { route, result, tried } = await routes.prepareAtAny(call, async ({ route, dialect, upstream }) => {
    const counts = await countInputs(inputs, { route, dialect, upstream, local: countHere, signal });
    if (counts === null)
      throw fault('generation_failed', {
        message: 'The tokens of this input cannot be counted.',
        internal: `Neither the route ${route.id} nor an installed file of ${target.baseModelId} counts tokens.`,
      });
    const longest = Math.max(...counts);
    if (truncate && longest > maxInputTokens && !dialect.truncatesInputs) throw cannotTruncate(longest, maxInputTokens);
    if (longest > maxDocumentTokens) throw cannotCutDocuments();
    return counts;
  });
  const most = truncate ? maxInputTokens : Number.POSITIVE_INFINITY;
  const counted = result.map((count) => ({ tokens: Math.min(count, most), truncated: count > most }));
  const tokens = counted.reduce((total, each) => total + each.tokens, 0);
  const handle = routes.store({ ...call, tokens, tried, input: { inputs, tokens } });
  return { handle, inputs: counted, dimensions: route.dimensions ?? 0 };
}

/** Of a reranker query and document together, each with the tokens around it. */
async function countInputs(
  { texts, query }: EmbeddingInputs,
  options: Parameters<typeof countTexts>[1],
): Promise<number[] | null> {
  if (query === undefined) return countTexts(texts, options);
  const counts = await countTexts([query, ...texts], options);
  const [ofQuery = 0, ...ofTexts] = counts ?? [];
  return counts && ofTexts.map((count) => ofQuery + count);
}

function cannotCutDocuments() {
  return fault('invalid_request', {
    message:
      'max_tokens_per_doc: a document may be longer, and the engine that serves this model cannot cut it; shorten it, or send truncate.',
    param: 'max_tokens_per_doc',
  });
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
      ...requestOf(runtime, inputs),
      onSend: () => {
        sentMs = clock.monotonicMs();
      },
      maxReasoningTokens: null,
      signal,
      param: inputs.query === undefined ? 'input' : 'documents',
    });
    if (response instanceof RouteRefusal) return response;
    const answer = await readJson(response.body, signal);
    const { length } = inputs.texts;
    const embedded =
      inputs.query === undefined
        ? { vectors: vectorsOf(answer, length), promptTokens: tokens }
        : { vectors: scoresOf(answer, length), promptTokens: rerankedTokens(answer) ?? tokens };
    const activeMs = clock.monotonicMs() - sentMs;
    runtime.measured(activeMs, 0);
    return { ...embedded, activeMs };
  });
}

function requestOf({ dialect, route }: RouteRuntime, inputs: EmbeddingInputs) {
  const { query } = inputs;
  const { upstreamModel: model } = route;
  if (query === undefined) return dialect.embeddingRequest(model, inputs);
  if (dialect.rerankRequest) return dialect.rerankRequest(model, { ...inputs, query });
  throw fault('generation_failed', {
    message: 'The engine that serves this model does not rerank.',
    internal: `The route ${route.id} of --api ${route.api} has no route for reranking.`,
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

/** Scores in the order of the documents, from the form of Jina or a bare list (TEI, SGLang). */
function scoresOf(answer: unknown, documents: number): Float32Array[] {
  const { results } = fieldsOf(answer);
  const rows: unknown = Array.isArray(answer) ? answer : results;
  if (!Array.isArray(rows) || rows.length !== documents) throw wrongScores();
  const byIndex = new Map(
    rows.map(fieldsOf).map(({ index, relevance_score: relevance, score }) => [index, relevance ?? score]),
  );
  return Array.from({ length: documents }, (_, index) => {
    const score = byIndex.get(index);
    if (typeof score !== 'number') throw wrongScores();
    return Float32Array.of(score);
  });
}

function rerankedTokens(answer: unknown): number | null {
  const { total_tokens: total, prompt_tokens: ofPrompt } = fieldsOf(fieldsOf(answer).usage);
  return countOf(total) || countOf(ofPrompt) || null;
}

function wrongScores() {
  return fault('generation_failed', {
    message: 'The model returned scores that do not fit the request.',
    internal: 'The answer of the engine has another form, or too few scores.',
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
