import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasIdempotencyKey, replayHeaders } from '#calls';
import { type Caller, compatBody, type ParsedBody } from '#http';
import { fault, isFields } from '#kernel';
import { isOpenTo, resolveModel, type ServedModel } from '#models';
import type { AdmissionScope } from './admission.store.ts';
import { type Admit, type AdmitPrincipal, type Admitted, RefusedCaller } from './admission.ts';
import type { InferenceDeps } from './deps.ts';
import { failureOf } from './failure.ts';
import { type AdmittedCall, ModelCall } from './model-call.ts';

/** What a route does with a call; everything else is the same for all of them. */
export type CallRoute<Input> = {
  operation: string;
  /** Reads the body; throws what is wrong with it. */
  read: (body: unknown) => Input;
  answer: (call: ModelCall, input: Input) => Promise<unknown>;
  /** Sends an answer again that was stored as JSON text. */
  repeat: (stored: string, again: { input: Input; reply: FastifyReply; caller: Caller }) => FastifyReply;
};

type Exchange = { request: FastifyRequest; reply: FastifyReply };

/** Admits a call: one admission for key, project and the model named in the body (wire contract 3.2). */
export type AdmitCall = (request: FastifyRequest) => Promise<AdmittedCall>;

/**
 * Takes a call from admission to answer: sends an answer again that was stored under its `Idempotency-Key`, refuses to repeat
 * what may have been served already, records how the call ended.
 */
export async function handleCall<Input>(
  deps: InferenceDeps,
  { request, reply }: Exchange,
  route: CallRoute<Input>,
  admit: AdmitCall = (each) => admitWithKey(deps.admit, each),
): Promise<unknown> {
  const admitted = await admit(request).catch((error: unknown) => {
    if (error instanceof RefusedCaller) recordRefusal(deps, error, { id: request.id, operation: route.operation });
    throw error;
  });
  const call = new ModelCall(deps, { request, reply }, { operation: route.operation, admitted });
  try {
    const input = route.read(readBody(admitted.body));
    const stored = hasIdempotencyKey(request.headers) ? await call.findAnswer() : call.refuseRepetition();
    if (stored) {
      reply.headers(replayHeaders(stored.requestId));
      return route.repeat(stored.answer.body.toString(), { input, reply, caller: call.caller });
    }
    return await route.answer(call, input);
  } catch (error) {
    await call.failed(error, { hasBegun: false });
    throw error;
  } finally {
    await call.close();
  }
}

function recordRefusal(
  { calls }: InferenceDeps,
  refusal: RefusedCaller,
  call: { id: string; operation: string },
): void {
  const open = calls.open({ ...call, target: { ...refusal.caller, project: null, model: null } });
  open.failed(failureOf(refusal, { hasBegun: false, isCallerGone: false, mayHaveRun: false }));
  void open.close();
}

/** Sends an answer again that was stored in the form in which it is sent. */
export function repeatJson(stored: string, { reply }: { reply: FastifyReply }): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(stored);
}

function admitWithKey(admit: Admit, request: FastifyRequest): Promise<AdmittedCall> {
  const body = compatBody(request);
  const scope = scopeOf(request, modelIn(body));
  return admit(request.headers, scope).then((admitted) => admittedCall(admitted, scope, body));
}

/**
 * Admits a call of a native route, whose caller was authenticated already.
 *
 * @param options.model what it calls, where that does not stand in its body: a model of the project in the path, or the address of
 *   one in another project. A name of the project itself keeps its meaning.
 */
export function admitWithPrincipal(admit: AdmitPrincipal, options: { model?: string | null } = {}): AdmitCall {
  return async (request) => {
    const body: ParsedBody = { ok: true, value: request.body };
    const { model = modelIn(body) } = options;
    const scope = scopeOf(request, model);
    const admitted = await admit(request, scope);
    const elsewhere = options.model && admitted.alias === null ? addressIn(options.model) : null;
    if (elsewhere === null) return admittedCall(admitted, scope, body);
    return admittedCall(await admitElsewhere(admit, request, elsewhere), elsewhere, body);
  };
}

/** `{owner}/{project}/{alias}`; null: it is no address of a model. */
function addressIn(model: string): AdmissionScope | null {
  const [ownerSlug, projectSlug, ...alias] = model.split('/');
  return ownerSlug && projectSlug && alias.length > 0 ? { ownerSlug, projectSlug, model: alias.join('/') } : null;
}

/** The same words for all that the caller may not call, whether it exists or not. */
async function admitElsewhere(
  admit: AdmitPrincipal,
  request: FastifyRequest,
  scope: AdmissionScope,
): Promise<Admitted> {
  const message = 'This model is not shared with you now, or does not exist, or its project is archived.';
  const refused = (caller: RefusedCaller['caller']) =>
    new RefusedCaller('model_not_found', caller, { message, param: 'model' });
  const admitted = await admit(request, scope).catch((error: unknown) => {
    throw error instanceof RefusedCaller ? refused(error.caller) : error;
  });
  const { alias, isOwner, share } = admitted;
  if (isOwner || (alias !== null && isOpenTo(alias, { isShared: share !== null }))) return admitted;
  throw refused(admitted);
}

/** The project in the path of a call, and the model that it names. */
export function scopeOf({ params }: FastifyRequest, model: string | null): AdmissionScope {
  // as: the path of every such route declares both parameters.
  const { owner, project } = params as { owner: string; project: string };
  return { ownerSlug: owner, projectSlug: project, model };
}

function admittedCall(admitted: Admitted, scope: AdmissionScope, body: ParsedBody): AdmittedCall {
  const { ownerSlug: owner, projectSlug: slug, model } = scope;
  const project = { id: admitted.project.id, owner, slug };
  return { ...admitted, body, target: { accountId: admitted.accountId, project, model, key: admitted.key } };
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
    baseModels: { find: deps.models.findKnown },
    etaMs: (baseModelId) => deps.engine.status(baseModelId).etaMs,
  });
  const { alias, share } = admitted;
  if (alias !== null) deps.modelUsage.aliases.seen(alias.id);
  if (share !== null) deps.modelUsage.shares.seen(share.id);
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
