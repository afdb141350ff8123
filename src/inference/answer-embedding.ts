import { fault } from '#kernel';
import type { ServedModel } from '#models';
import type { AttendedCall } from './attended-call.ts';
import type { InferenceDeps } from './deps.ts';
import { embed } from './embed.ts';
import { resolve } from './entry.ts';
import type { EmbeddingAnswer, EmbeddingRequest } from './model-request.ts';
import type { EmbeddingCall } from './protocol.ts';

/** Answers a call of an embedding model. */
export async function answerEmbedding(
  deps: InferenceDeps,
  call: AttendedCall,
  { route, wanted }: { route: EmbeddingCall; wanted: EmbeddingRequest },
): Promise<string> {
  const model = resolveEmbedding(deps, call, wanted);
  const { maxInputs, requestTokenBudget } = model.limits;
  if (wanted.inputs.length > maxInputs) {
    throw fault('invalid_request', {
      param: 'input',
      message: `input: expected at most ${maxInputs} inputs; split the request, or set the batch size of your client to ${maxInputs}`,
    });
  }
  const bodyOf = (answer: EmbeddingAnswer) => route.collect(wanted, answer);
  const answered = await embed(deps, call.callFor(model, { promptTokens: requestTokenBudget, maxTokens: 0 }), {
    wanted,
    keep: call.keeping(bodyOf),
  });
  call.reply.type('application/json; charset=utf-8');
  return JSON.stringify(bodyOf(answered));
}

/** The checks between shape and limits, in the order of the wire contract 3.2: project, model, dimensions. */
function resolveEmbedding(deps: InferenceDeps, call: AttendedCall, wanted: EmbeddingRequest): ServedModel {
  if (call.admitted.project.kind !== 'embedding') throw fault('embeddings_not_enabled');
  const model = resolve(deps, call.admitted, wanted.model);
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
