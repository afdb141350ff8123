import type { FastifyRequest } from 'fastify';
import type { CallTarget } from '#calls';
import { compatBody, type ParsedBody } from '#http';
import { fault, isFields } from '#kernel';
import { resolveModel, type ServedModel } from '#models';
import type { AdmittedPlace } from './admission.store.ts';
import type { Admit, Admitted, createPrincipalAdmission } from './admission.ts';
import type { InferenceDeps } from './deps.ts';

export type AdmitPrincipal = ReturnType<typeof createPrincipalAdmission>;

/** Path parameters of every compatible route. */
export type ProjectParams = { owner: string; project: string };

/** A call that was let in. Its body may be unreadable, which is reported only after the caller was authenticated. */
export type Entered = {
  admitted: Admitted;
  body: ParsedBody;
  /** Who calls what. */
  target: CallTarget;
};

/** Admits a call. */
export type Enter = (request: FastifyRequest) => Promise<Entered>;

/** Admits a call: one admission for key, project and the model named in the body (wire contract 3.2). */
export function enterWith(admit: Admit): Enter {
  return (request) => {
    const body = compatBody(request);
    return enter(request, { body, model: modelIn(body), admit: (place) => admit(request.headers, place) });
  };
}

/**
 * Admits a call of a native route, whose caller was authenticated already.
 *
 * @param how.model what it calls, where that does not stand in its body.
 */
export function enterAsPrincipal(admit: AdmitPrincipal, how: { model?: string | null } = {}): Enter {
  return (request) => {
    const body: ParsedBody = { ok: true, value: request.body };
    const { model = modelIn(body) } = how;
    return enter(request, { body, model, admit: (place) => admit(request, place) });
  };
}

type Entering = {
  body: ParsedBody;
  model: string | null;
  admit: (place: AdmittedPlace) => Promise<Admitted>;
};

async function enter(request: FastifyRequest, { body, model, admit }: Entering): Promise<Entered> {
  const { owner, project: slug } = readParams(request);
  const admitted = await admit({ ownerSlug: owner, projectSlug: slug, model });
  return {
    admitted,
    body,
    target: { accountId: admitted.accountId, project: { id: admitted.project.id, owner, slug }, model },
  };
}

/** The model that a body names; null when it names none. */
export function modelIn(body: ParsedBody): string | null {
  return body.ok && isFields(body.value) && typeof body.value.model === 'string' ? body.value.model : null;
}

export function readBody(body: ParsedBody): unknown {
  if (body.ok) return body.value;
  throw body.fault;
}

/** Resolves the model that a call names, for a caller who was admitted. */
export function resolve(deps: InferenceDeps, admitted: Admitted, requested: string): ServedModel {
  const model = resolveModel({
    requested,
    alias: admitted.alias,
    isOwner: admitted.isOwner,
    isShared: admitted.share !== null,
    trained: admitted.trained ?? null,
    baseModels: deps.models,
    etaMs: (baseModelId) => deps.engine.status(baseModelId).etaMs,
  });
  const { alias, share } = admitted;
  if (alias !== null) deps.modelUsage.seen(alias.id, share?.id ?? null);
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

/** Of the body, as the caller says; NaN when he does not. */
export function bytesOf({ headers }: FastifyRequest): number {
  return Number(headers['content-length']);
}

/** Template text around the caller's own: roles, tool preamble, think tags. */
const templateTokens = 512;

/** Upper bound of the prompt in tokens: a token is at least one byte of the body. */
export function promptTokensAtMost(bytes: number, maxContextTokens: number): number {
  return Number.isFinite(bytes) ? Math.min(maxContextTokens, bytes + templateTokens) : maxContextTokens;
}
