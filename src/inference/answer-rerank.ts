import type { Embedded, PreparedEmbedding } from '#engine';
import { fault } from '#kernel';
import type { ServedModel } from '#models';
import type { InferenceDeps } from './deps.ts';
import { type CallRoute, repeatJson, resolve } from './handle-call.ts';
import { type ModelCall, runCall } from './model-call.ts';
import type { RerankAnswer, RerankRequest } from './model-request.ts';
import { watchCall } from './observe-calls.ts';
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
  const { documents, query } = input;
  if (documents.length > maxInputs)
    throw refuse(`expected at most ${maxInputs} documents, and there are ${documents.length}; split the request`);
  await call.begin(model, {
    promptTokens: requestTokenBudget,
    maxTokens: 0,
    // The model reads the query, and what its template writes, with each document.
    addedBytes: documents.length * (Buffer.byteLength(query) + templateBytes),
  });
  const answer = await rerank(deps, call, { input, bodyOf: (each) => route.collect(input, each) });
  call.reply.type('application/json; charset=utf-8');
  return JSON.stringify(route.collect(input, answer));
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

type Steps = { input: RerankRequest; bodyOf: (answer: RerankAnswer) => object };

/** Scores the documents of one call; resolves when the scores are checked and charged. */
function rerank(deps: InferenceDeps, call: ModelCall, { input, bodyOf }: Steps): Promise<RerankAnswer> {
  const { engine, observe } = deps;
  const watch = observe && watchCall(observe, { call, sampling: null, streams: false });
  const { model, signal, admitted } = call;
  const { query, documents, truncate, maxDocumentTokens } = input;
  return runCall(call, {
    observed: watch && { watch, endOf: (answer) => endOf(call, answer) },
    record: (answer) => ({ body: () => bodyOf(answer) }),
    release: ({ handle }) => engine.release(handle),
    async prepare() {
      const prepared = await engine.prepareEmbedding(
        {
          target: model.target,
          texts: documents,
          query,
          maxInputTokens: model.limits.maxInputTokens,
          ...(maxDocumentTokens === null ? {} : { maxDocumentTokens }),
          truncate,
          requestTokens: model.limits.requestTokenBudget,
          scope: admitted.accountId,
        },
        signal,
      );
      const excess = limitExcess(prepared, model.limits);
      if (excess) {
        engine.release(prepared.handle);
        throw refuse(excess);
      }
      return prepared;
    },
    async run({ handle }) {
      const embedded = await engine.embed({ handle, signal });
      const cancelled = signal.aborted && embedded.vectors.length === 0;
      const { activeMs, promptTokens } = embedded;
      return {
        result: { id: call.request.id, scores: cancelled ? [] : scoresOf(embedded, documents), promptTokens, activeMs },
        run: { activeMs, promptTokens, completionTokens: 0, cancelled },
      };
    },
  });
}

function endOf({ signal }: ModelCall, { scores, promptTokens, activeMs }: RerankAnswer) {
  return {
    outcome: signal.aborted && scores.length === 0 ? 'client_disconnected' : 'succeeded',
    usage: { promptTokens, completionTokens: 0, reasoningTokens: 0, cachedTokens: 0 },
    activeMs,
    finishReason: null,
  } as const;
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

/** A wrong answer is our failure and free. */
function scoresOf({ vectors }: Embedded, documents: readonly string[]): number[] {
  const scores = vectors.map(([score = Number.NaN]) => score);
  if (scores.length === documents.length && scores.every(Number.isFinite)) return scores;
  throw fault('generation_failed', {
    message: 'The model returned scores that do not fit the request.',
    internal: `${scores.length} scores for ${documents.length} documents`,
  });
}
