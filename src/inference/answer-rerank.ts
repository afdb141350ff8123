import type { Embedded, PreparedEmbedding } from '#engine';
import { type Fault, fault } from '#kernel';
import type { ServedModel } from '#models';
import type { InferenceDeps } from './deps.ts';
import { embedInputs } from './embed-inputs.ts';
import { type CallRoute, repeatJson, resolve } from './handle-call.ts';
import type { ModelCall } from './model-call.ts';
import type { RerankAnswer, RerankRequest } from './model-request.ts';
import type { RerankCall } from './protocol.ts';

export function rerankRoute(deps: InferenceDeps, route: RerankCall): CallRoute<RerankRequest> {
  return {
    operation: route.operation,
    read: route.read,
    answer: (call, input) => answerRerank(deps, call, { route, input }),
    repeat: repeatJson,
  };
}

type Reranking = { route: RerankCall; input: RerankRequest };

async function answerRerank(deps: InferenceDeps, call: ModelCall, { route, input }: Reranking): Promise<string> {
  const model = resolveReranker(deps, call, input);
  const { maxInputs, requestTokenBudget } = model.limits;
  const { documents, query, truncate, maxDocumentTokens } = input;
  if (documents.length > maxInputs)
    throw refuse(`expected at most ${maxInputs} documents, and there are ${documents.length}; split the request`);
  await call.begin(model, {
    promptTokens: requestTokenBudget,
    maxTokens: 0,
    // The model reads the query, and what its template writes, with each document.
    addedBytes: documents.length * (Buffer.byteLength(query) + templateBytes),
  });
  const bodyOf = (answer: RerankAnswer) => route.collect(input, answer);
  const answer = await embedInputs(deps, call, {
    inputs: { texts: documents, query, truncate, ...(maxDocumentTokens === null ? {} : { maxDocumentTokens }) },
    refusalOf: limitRefusal,
    check: (embedded) => checkScores(scoresOf(embedded), documents),
    answerOf: (embedded) => {
      const { activeMs, promptTokens } = embedded;
      return { id: call.request.id, scores: scoresOf(embedded), promptTokens, activeMs };
    },
    bodyOf,
  });
  call.reply.type('application/json; charset=utf-8');
  return JSON.stringify(bodyOf(answer));
}

/** Around a query and a document. */
const templateBytes = 512;

const refuse = (message: string) => fault('invalid_request', { param: 'documents', message: `documents: ${message}` });

function resolveReranker(deps: InferenceDeps, call: ModelCall, input: RerankRequest): ServedModel {
  if (call.admitted.project.kind !== 'embedding')
    throw fault('embeddings_not_enabled', { message: 'Reranking is for embedding projects; this is a text project.' });
  const model = resolve(deps, call.admitted, input.model);
  if (model.baseModel.kind === 'reranker') return model;
  throw fault('invalid_request', {
    param: 'model',
    message: `model: ${JSON.stringify(input.model)} is no reranker; send the name of one`,
  });
}

function limitRefusal(prepared: PreparedEmbedding, limits: ServedModel['limits']): Fault | null {
  const excess = limitExcess(prepared, limits);
  return excess === null ? null : refuse(excess);
}

function limitExcess({ inputs }: PreparedEmbedding, limits: ServedModel['limits']): string | null {
  const longest = Math.max(...inputs.map(({ tokens }) => tokens));
  if (longest > limits.maxInputTokens) {
    const place = inputs.findIndex(({ tokens }) => tokens === longest);
    return `the query and documents[${place}] have ${longest} tokens together, the limit is ${limits.maxInputTokens}; shorten the document, or send truncate: true`;
  }
  const total = inputs.reduce((sum, { tokens }) => sum + tokens, 0);
  if (total <= limits.requestTokenBudget) return null;
  return `query and documents have ${total} tokens together, counting the query with each document, and the limit is ${limits.requestTokenBudget}; send fewer or shorter documents per request`;
}

const scoresOf = ({ vectors }: Embedded): number[] => vectors.map(([score = Number.NaN]) => score);

function checkScores(scores: readonly number[], documents: readonly string[]): void {
  if (scores.length === documents.length && scores.every(Number.isFinite)) return;
  throw fault('generation_failed', {
    message: 'The model returned scores that do not fit the request.',
    internal: `${scores.length} scores for ${documents.length} documents`,
  });
}
