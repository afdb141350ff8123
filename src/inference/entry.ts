import type { FastifyRequest } from 'fastify';
import { compatBody, type ParsedBody } from '#http';
import { fault } from '#kernel';
import { resolveModel, type ServedModel } from '#models';
import type { RequestTarget } from '#requests';
import type { Admit, Admitted } from './admission.ts';
import type { InferenceDeps } from './deps.ts';
import { isFields } from './fields.ts';

export const inferencePrefix = '/api/projects/:owner/:project/openai/v1';

/** Path parameters of every compatible route. */
export type ProjectParams = { owner: string; project: string };

/** A call that was let in. Its body may be unreadable, which is told only after the caller has proved who he is. */
export type Entered = {
  admitted: Admitted;
  body: ParsedBody;
  /** Who calls what. */
  target: RequestTarget;
};

/** Lets a call in: one admission for key, project and the model named in the body (wire contract 3.2). */
export async function enter(admit: Admit, request: FastifyRequest): Promise<Entered> {
  const { owner, project: slug } = readParams(request);
  const body = compatBody(request);
  const model = body.ok && isFields(body.value) && typeof body.value.model === 'string' ? body.value.model : null;
  const admitted = await admit(request.headers, { ownerSlug: owner, projectSlug: slug, model });
  return {
    admitted,
    body,
    target: { accountId: admitted.accountId, project: { id: admitted.project.id, owner, slug }, model },
  };
}

export function readBody(body: ParsedBody): unknown {
  if (body.ok) return body.value;
  throw body.fault;
}

/** Resolves the model that a call names, for a caller already let in. */
export function resolve(deps: InferenceDeps, admitted: Admitted, requested: string): ServedModel {
  const model = resolveModel({
    requested,
    alias: admitted.alias,
    isOwner: admitted.isOwner,
    isShared: admitted.share !== null,
    baseModels: deps.models,
    etaMs: (baseModelId) => deps.engine.status(baseModelId).etaMs,
  });
  if (admitted.alias) deps.modelUsage.seen(admitted.alias.id, admitted.share?.id ?? null);
  return model;
}

/** Resolves a model that generates text; an embedding model is no model here. */
export function resolveText(deps: InferenceDeps, admitted: Admitted, requested: string): ServedModel {
  const model = resolve(deps, admitted, requested);
  if (model.baseModel.kind !== 'text') {
    throw fault('model_not_found', {
      param: 'model',
      message: `The model ${JSON.stringify(requested)} does not generate text.`,
    });
  }
  return model;
}

export function readParams(request: FastifyRequest): ProjectParams {
  // as: the route's path declares both parameters.
  return request.params as ProjectParams;
}

/** Template text around the caller's own: roles, tool preamble, think tags. */
const templateTokens = 512;

/** Upper bound of the prompt in tokens: a token is at least one byte of the body. */
export function promptTokensAtMost(request: FastifyRequest, maxContextTokens: number): number {
  const bytes = Number(request.headers['content-length']);
  return Number.isFinite(bytes) ? Math.min(maxContextTokens, bytes + templateTokens) : maxContextTokens;
}
