import { type DialectName, engineDialects, isDialectName } from '#engine';
import { isFields } from '#kernel';
import type { ModelKind } from '../model-kinds.ts';
import type { ServingRouteRow } from './serving-routes.store.ts';

/** What a remote engine made of a short request; the fields of other kinds of models are null. */
export type RouteSample = { text: string | null; dimensions: number | null; score: number | null };

const none: RouteSample = { text: null, dimensions: null, score: null };
const maxTokens = 16;
const maxMessageLength = 300;
const texts = ['The lamp is on the table.'];
const query = 'Where is the lamp?';
const inputs = { texts, truncate: false, maxInputTokens: 64 };

type Trial = { path: string; body: object; read: (answer: unknown) => RouteSample | null };

/**
 * Lets the engine answer once, as a call of the model would, and charges nobody. Throws an error that says what is wrong.
 * @param send - posts JSON to a path of the dialect.
 */
export async function tryRoute(
  { api, baseModelId, upstreamModel }: ServingRouteRow,
  kind: ModelKind,
  send: (path: string, body: object) => Promise<Response>,
): Promise<RouteSample> {
  if (!isDialectName(api)) throw new Error(`There is no API ${api}.`);
  const trial = trialOf(engineDialects[api], { kind, baseModelId, model: upstreamModel });
  if (trial === null) throw new Error(`This engine serves no model of the kind ${kind}.`);
  const response = await send(trial.path, trial.body);
  const answer = await response.text();
  if (!response.ok) throw new Error(`It answered ${response.status}: ${answer.slice(0, maxMessageLength)}`);
  const sample = trial.read(jsonIn(answer));
  if (sample === null) throw new Error(`It answered in an unknown form: ${answer.slice(0, maxMessageLength)}`);
  return sample;
}

function trialOf(
  { answer, embeddingRequest, rerankRequest }: (typeof engineDialects)[DialectName],
  { kind, baseModelId, model }: { kind: ModelKind; baseModelId: string; model: string },
): Trial | null {
  if (kind === 'embedding') {
    const request = embeddingRequest(model, { ...inputs, target: { baseModelId, adapter: null } });
    return { ...request, read: (found) => withNumber('dimensions', dimensionsIn(found)) };
  }
  if (kind === 'reranker') {
    const request = rerankRequest?.(model, { ...inputs, query });
    return request ? { ...request, read: (found) => withNumber('score', scoreIn(found)) } : null;
  }
  const messages = [{ role: 'user', content: 'Say hello.' }];
  const body = { model, messages, max_tokens: maxTokens, stream: false };
  return { path: '/chat/completions', body, read: (found) => textIn(found, answer.reasoning) };
}

const withNumber = (name: 'dimensions' | 'score', value: number | null): RouteSample | null =>
  value === null ? null : { ...none, [name]: value };

/** The text of the answer, or of its reasoning, which may take all of its tokens. */
function textIn(answer: unknown, reasoning: readonly string[]): RouteSample | null {
  const message = fieldOf(firstOf(fieldOf(answer, 'choices')), 'message');
  const found = ['content', ...reasoning].map((name) => fieldOf(message, name));
  const text = found.find((value) => typeof value === 'string' && value.trim() !== '');
  return typeof text === 'string' ? { ...none, text } : null;
}

/** In OpenAI's form, or a bare list (TEI). */
function dimensionsIn(answer: unknown): number | null {
  const vector = Array.isArray(answer) ? answer[0] : fieldOf(firstOf(fieldOf(answer, 'data')), 'embedding');
  return Array.isArray(vector) && vector.length > 0 ? vector.length : null;
}

/** In the form of Jina, or a bare list (TEI, SGLang). */
function scoreIn(answer: unknown): number | null {
  const row = firstOf(Array.isArray(answer) ? answer : fieldOf(answer, 'results'));
  const score = fieldOf(row, 'relevance_score') ?? fieldOf(row, 'score');
  return typeof score === 'number' ? score : null;
}

const fieldOf = (value: unknown, name: string): unknown => (isFields(value) ? value[name] : undefined);
const firstOf = (value: unknown): unknown => (Array.isArray(value) ? value[0] : undefined);

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
