import type { FastifyInstance } from 'fastify';
import { watchCaller } from '#http';
import { fault } from '#kernel';
import type { ServedModel } from '#models';
import type { Admitted } from './admission.ts';
import type { InferenceDeps } from './deps.ts';
import { embed } from './embed.ts';
import { type EmbeddingRequest, readEmbeddingRequest } from './embedding.schema.ts';
import { embeddingList } from './embedding-wire.ts';
import { embeddingsContract } from './embeddings.contract.ts';
import { enter, inferencePrefix, promptTokensAtMost, resolve } from './entry.ts';

/** POST P/embeddings. */
export function embeddingsRoutes(app: FastifyInstance, deps: InferenceDeps): void {
  const config = {
    operation: 'embeddings.create',
    access: 'admission',
    shape: 'compat',
    contract: embeddingsContract,
  } as const;
  app.post(`${inferencePrefix}/embeddings`, { config }, async (request, reply) => {
    const { admitted, body } = await enter(deps.admit, request);
    const wanted = readEmbeddingRequest(body);
    const model = resolveEmbedding(deps, admitted, wanted);
    const { maxInputs, requestTokenBudget } = model.limits;
    if (wanted.inputs.length > maxInputs) {
      throw fault('invalid_request', {
        param: 'input',
        message: `input: expected at most ${maxInputs} inputs; split the request`,
      });
    }
    const call = {
      requestId: request.id,
      operation: 'embeddings.create',
      admitted,
      model,
      promptTokensAtMost: promptTokensAtMost(request, requestTokenBudget),
      maxTokens: 0,
      signal: watchCaller(reply).signal,
    };
    return embeddingList(wanted, await embed(deps, call, wanted));
  });
}

/** The checks between shape and limits, in the order of the wire contract 3.2: project, model, dimensions. */
function resolveEmbedding(deps: InferenceDeps, admitted: Admitted, wanted: EmbeddingRequest): ServedModel {
  if (admitted.project.kind !== 'embedding') throw fault('embeddings_not_enabled');
  const model = resolve(deps, admitted, wanted.model);
  const { kind, dimensions } = model.baseModel;
  if (kind !== 'embedding') {
    throw fault('model_not_found', {
      param: 'model',
      message: `The model ${JSON.stringify(wanted.model)} does not embed.`,
    });
  }
  if (wanted.dimensions !== null && wanted.dimensions !== dimensions) {
    throw fault('invalid_request', {
      param: 'dimensions',
      message: `dimensions: this model's vectors have ${dimensions} dimensions`,
    });
  }
  return model;
}
