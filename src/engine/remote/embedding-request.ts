import { fault } from '#kernel';
import type { EmbeddingInputs } from '../port.ts';
import type { ServingRoute } from './serving-route.ts';

/** Whether the engine behind a route cuts inputs that are too long when it is asked to; the others refuse them. */
export const canCut = ({ api }: ServingRoute): boolean => api === 'tei' || api === 'vllm';

/** How a route is asked for vectors. Cutting is left to the engine, which knows where its tokens end. */
export function embeddingCall(route: ServingRoute, { texts, truncate, maxInputTokens }: EmbeddingInputs) {
  if (route.api === 'tei') return { path: '//embed', body: { inputs: texts, truncate, normalize: true } };
  const cut = route.api === 'vllm' && truncate ? { truncate_prompt_tokens: maxInputTokens } : {};
  return {
    path: '/embeddings',
    body: { model: route.upstreamModel, input: texts, encoding_format: 'float', ...cut },
  };
}

/** Vectors of unit length in the order of the inputs, from OpenAI's form or a bare list (TEI). */
export function vectorsOf(answer: unknown, inputs: number): Float32Array[] {
  const rows = Array.isArray(answer) ? answer.map((embedding, index) => ({ embedding, index })) : dataOf(answer);
  const vectors: Float32Array[] = [];
  for (const row of rows) {
    const { embedding, index } = row as { embedding?: unknown; index?: unknown };
    if (typeof index !== 'number' || !Array.isArray(embedding) || vectors[index] !== undefined) throw wrong();
    vectors[index] = normalised(embedding);
  }
  if (vectors.length !== inputs || vectors.includes(undefined as never)) throw wrong();
  return vectors;
}

function dataOf(answer: unknown): unknown[] {
  // as: what has no such field is refused.
  const { data } = (answer ?? {}) as { data?: unknown };
  if (!Array.isArray(data)) throw wrong();
  return data;
}

function normalised(values: readonly unknown[]): Float32Array {
  const vector = Float32Array.from(values, (value) => (typeof value === 'number' ? value : Number.NaN));
  const length = Math.hypot(...vector);
  return length > 0 ? vector.map((value) => value / length) : vector;
}

function wrong() {
  return fault('generation_failed', {
    message: 'The model returned vectors that do not fit the request.',
    internal: 'The answer of the engine has another form, or too few vectors.',
  });
}
