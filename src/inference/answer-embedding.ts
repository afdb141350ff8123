import { fault } from '#kernel';
import type { ServedModel } from '#models';
import type { InferenceDeps } from './deps.ts';
import { embed } from './embed.ts';
import { resolve } from './entry.ts';
import type { ModelCall } from './model-call.ts';
import type { EmbeddingAnswer, EmbeddingRequest } from './model-request.ts';
import type { EmbeddingCall } from './protocol.ts';

/** Answers a call of an embedding model. */
export async function answerEmbedding(
  deps: InferenceDeps,
  call: ModelCall,
  { route, input }: { route: EmbeddingCall; input: EmbeddingRequest },
): Promise<string> {
  const model = resolveEmbedding(deps, call, input);
  const { maxInputs, requestTokenBudget } = model.limits;
  if (input.inputs.length > maxInputs) {
    throw fault('invalid_request', {
      param: 'input',
      message: `input: expected at most ${maxInputs} inputs; split the request, or set the batch size of your client to ${maxInputs}`,
    });
  }
  const bodyOf = (answer: EmbeddingAnswer) => route.collect(input, answer);
  await call.begin(model, { promptTokens: requestTokenBudget, maxTokens: 0 });
  const answered = await embed(deps, call, { input, bodyOf });
  call.reply.type('application/json; charset=utf-8');
  return JSON.stringify(bodyOf(answered));
}

/** The checks between shape and limits, in the order of the wire contract 3.2: project, model, dimensions. */
function resolveEmbedding(deps: InferenceDeps, call: ModelCall, input: EmbeddingRequest): ServedModel {
  if (call.admitted.project.kind !== 'embedding') throw fault('embeddings_not_enabled');
  const model = resolve(deps, call.admitted, input.model);
  const { kind, dimensions } = model.baseModel;
  if (kind !== 'embedding') {
    throw fault('model_not_found', {
      param: 'model',
      message: `The model ${JSON.stringify(input.model)} does not embed.`,
    });
  }
  if (input.dimensions !== null && input.dimensions !== dimensions) {
    throw fault('invalid_request', {
      param: 'dimensions',
      message: `dimensions: this model's vectors have ${dimensions} dimensions`,
    });
  }
  return model;
}
