import type { FastifyInstance } from 'fastify';
import { type Contract, nameIgnoredFields, said } from '#http';
import { fault } from '#kernel';
import type { ServedModel } from '#models';
import { projectPrefix } from '#projects';
import { createPrincipalAdmission } from './admission.ts';
import { attend, type CallRoute, repeatJson } from './attend.ts';
import type { AttendedCall } from './attended-call.ts';
import type { InferenceDeps } from './deps.ts';
import { type EmbeddingAnswer, embed } from './embed.ts';
import { type EmbeddingRequest, readEmbeddingRequest } from './embedding.schema.ts';
import { embeddingList } from './embedding-wire.ts';
import { embeddingsContract } from './embeddings.contract.ts';
import { enterAsPrincipal, inferencePrefix, resolve } from './entry.ts';
import { createJsonAnswer } from './json-answer.ts';

/** POST P/embeddings. */
export function embeddingsRoutes(app: FastifyInstance, deps: InferenceDeps): void {
  const config = {
    operation: 'embeddings.create',
    access: 'admission',
    shape: 'compat',
    contract: embeddingsContract,
  } as const;
  const route: CallRoute<EmbeddingRequest> = {
    operation: config.operation,
    read: readEmbeddingRequest,
    answer: (call, wanted) => answer(deps, call, wanted),
    repeat: repeatJson,
  };
  app.post(`${inferencePrefix}/embeddings`, { config }, (request, reply) => attend(deps, { request, reply }, route));

  // For the playground: the same call, for who is signed in too.
  const trying = { operation: 'embeddings.try', contract: tryContract, keepsAnswers: true } as const;
  const enter = enterAsPrincipal(createPrincipalAdmission(deps));
  app.post(`${projectPrefix}/embeddings`, { config: trying }, (request, reply) => {
    nameIgnoredFields(reply, tryContract.body, request.body);
    return attend(deps, { request, reply }, { ...route, operation: trying.operation }, enter);
  });
}

const tryContract: Contract = {
  ...embeddingsContract,
  tag: 'chats',
  summary: said('Embed texts in the playground', '在体验场中生成嵌入'),
  description: said(
    'The same call as `P/embeddings`, with the same answer and the same price, for a session as well as for a key.',
    '与 `P/embeddings` 相同的调用、相同的结果与费用；密钥与登录会话均可使用。',
  ),
  faults: [...(embeddingsContract.faults ?? []), 'project_not_found', 'state_conflict'],
};

async function answer(deps: InferenceDeps, call: AttendedCall, wanted: EmbeddingRequest) {
  const model = resolveEmbedding(deps, call, wanted);
  const { maxInputs, requestTokenBudget } = model.limits;
  if (wanted.inputs.length > maxInputs) {
    throw fault('invalid_request', {
      param: 'input',
      message: `input: expected at most ${maxInputs} inputs; split the request, or set the batch size of your client to ${maxInputs}`,
    });
  }
  const list = createJsonAnswer((vectors: EmbeddingAnswer) => embeddingList(wanted, vectors));
  const answered = await embed(deps, call.callFor(model, { promptTokens: requestTokenBudget, maxTokens: 0 }), {
    wanted,
    keep: call.keeping((vectors) => embeddingList(wanted, vectors)),
    meanwhile: list.make,
  });
  return list.send(call.reply, answered);
}

/** The checks between shape and limits, in the order of the wire contract 3.2: project, model, dimensions. */
function resolveEmbedding(deps: InferenceDeps, call: AttendedCall, wanted: EmbeddingRequest): ServedModel {
  if (call.admitted.project.kind !== 'embedding') throw fault('embeddings_not_enabled');
  const model = resolve(deps, call, wanted.model);
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
