import type { Adapter, Target } from '#engine';
import { fault, type Micro, quotedText } from '#kernel';
import { type BaseModel, embeddingLimits, rerankLimits } from './base-model.ts';
import type { AliasRow } from './hosted-models.store.ts';
import type { ModelKind } from './model-kinds.ts';

/** What a call runs on and costs, decided when it is admitted. */
export type ServedModel = {
  requested: string;
  baseModel: BaseModel;
  target: Target;
  /** Revision of the alias; null when the base model was called itself. */
  revision: number | null;
  rateMicroPerMinute: Micro;
  priceVersion: string;
  queryInstruction: string | null;
  /** A text model takes one prompt, as long as its context; the last three matter to embedding models and rerankers. */
  limits: { maxContextTokens: number; maxInputTokens: number; maxInputs: number; requestTokenBudget: number };
};

export type TrainedModel = {
  jobId: string;
  kind: ModelKind;
  baseModelId: string;
  /** Of the job; only `succeeded` can be served. */
  state: string;
  /** null until the job has succeeded. */
  adapter: Adapter | null;
  /** Longest input that it was trained for; null: that of the base model. */
  maxInputTokens: number | null;
  queryInstruction: string | null;
};

export type ModelQuery = {
  requested: string;
  /** The project's alias of this name, active or not. */
  alias: AliasRow | null;
  /** Whether the caller owns the project. Anybody else has already been found to see it. */
  isOwner: boolean;
  isShared: boolean;
  /** The finished job that `requested` names, if the caller may use it, or that the alias stands for. */
  trained?: TrainedModel | null;
  baseModels: { find: (id: string) => BaseModel | undefined };
  etaMs: (baseModelId: string) => number | null;
};

const jobPrefix = 'training-job#';

/**
 * Finds what a `model` string of a project means: an alias of the project, a training job, or a base model, in this
 * order. The kind of the model is not checked here: a route that chats refuses an embedding model as `model_not_found`,
 * and a project without embeddings is told so (409) before its model is looked at.
 *
 * Faults, all with `param: 'model'`: `model_not_found` (unknown, inactive, or an alias that this caller may not call),
 * `owner_required` (a base model called by somebody else than the owner), `model_not_installed`, `model_warming` (an alias
 * that is being activated).
 */
export function resolveModel(query: ModelQuery): ServedModel {
  const { requested, alias, isOwner, baseModels } = query;
  if (requested.startsWith(jobPrefix)) return resolveJob(requested, query);
  // Names of base models and aliases may meet when a model is added later; the project's own name then keeps its meaning.
  if (alias) return resolveAlias(requested, alias, query);
  const baseModel = baseModels.find(requested);
  if (!baseModel) throw unknown(requested);
  if (!isOwner) {
    throw fault('owner_required', {
      message: 'Only the owner of the project may call base models; use a model of the models list.',
      param: 'model',
    });
  }
  const { rateMicroPerMinute, priceVersion } = baseModel;
  return serve({ requested, baseModel, revision: null, rateMicroPerMinute, priceVersion });
}

function resolveJob(requested: string, { trained, baseModels }: ModelQuery): ServedModel {
  const baseModel = trained && baseModels.find(trained.baseModelId);
  if (!trained?.adapter) {
    throw notFound(
      `There is no finished training job ${quotedText(requested.slice(jobPrefix.length))} that you may use.`,
    );
  }
  if (!baseModel) throw baseGone(requested, trained.baseModelId);
  const { rateMicroPerMinute, priceVersion } = baseModel;
  return serveTrained({ requested, baseModel, revision: null, rateMicroPerMinute, priceVersion }, trained);
}

function resolveAlias(requested: string, alias: AliasRow, query: ModelQuery): ServedModel {
  const { isOwner, baseModels } = query;
  const isOn = alias.state === 'active' || alias.state === 'warming';
  // An alias that the caller may not use gives the same answer as one that does not exist, so that private aliases
  // cannot be probed.
  if (!isOwner && !(isOn && isOpenTo(alias, query))) throw unknown(requested);
  if (!isOn) throw notFound(`The model ${quotedText(requested)} of this project is not active.`);
  if (alias.state === 'warming') throw warming(query, alias);
  const { revision, rateMicroPerMinute, priceVersion } = alias;
  const trained = alias.targetType === 'training_job' ? (query.trained ?? null) : null;
  if (alias.targetType === 'training_job' && !trained?.adapter) {
    throw notFound(`The training job behind ${quotedText(requested)} has no model that can be served.`);
  }
  const baseModelId = trained ? trained.baseModelId : alias.targetId;
  const baseModel = baseModels.find(baseModelId);
  if (!baseModel) throw baseGone(requested, baseModelId);
  const served = { requested, baseModel, revision, rateMicroPerMinute, priceVersion };
  return trained ? serveTrained(served, trained) : serve(served);
}

function baseGone(requested: string, id: string) {
  return fault('model_not_installed', {
    message: `The base model ${id} behind ${quotedText(requested)} is not registered any more. Add it again with: fanfold models add ${id} --kind KIND --gguf FILE`,
    param: 'model',
  });
}

/** Whether somebody else than the owner may call it. A share of an alias that is private waits until it is not. */
export function isOpenTo({ visibility }: Pick<AliasRow, 'visibility'>, { isShared }: { isShared: boolean }): boolean {
  return visibility === 'public' || (visibility === 'shared' && isShared);
}

type Served = Pick<ServedModel, 'requested' | 'baseModel' | 'revision' | 'rateMicroPerMinute' | 'priceVersion'>;

function serve(served: Served): ServedModel {
  const { baseModel } = served;
  if (!isServed(baseModel)) {
    const { id, kind, source } = baseModel;
    const command = source?.type === 'hub' ? `pull ${id}` : `add ${id} --kind ${kind} --gguf FILE --force`;
    throw fault('model_not_installed', {
      message: `The model ${id} is listed but not installed. Install it with: fanfold models ${command}`,
      param: 'model',
    });
  }
  return {
    ...served,
    target: { baseModelId: baseModel.id, adapter: null },
    queryInstruction: baseModel.queryInstruction,
    limits: limitsOf(baseModel),
  };
}

/** Whether anything serves it: its file is here, or a remote engine has it. */
export function isServed({ installed, isRemote = false }: BaseModel): boolean {
  return installed !== null || isRemote;
}

/** The base model with the adapter of a job, within the limits that it was trained for. */
function serveTrained(served: Served, { adapter, maxInputTokens, queryInstruction }: TrainedModel): ServedModel {
  const model = serve(served);
  const { baseModel } = served;
  return {
    ...model,
    target: { baseModelId: baseModel.id, adapter },
    queryInstruction,
    limits: limitsOf({ ...baseModel, maxInputTokens: maxInputTokens ?? baseModel.maxInputTokens }),
  };
}

/** Limits of calls on a base model (interface 8.1, 8.2). */
export function limitsOf({ kind, maxContextTokens, maxInputTokens }: BaseModel): ServedModel['limits'] {
  if (kind === 'text') {
    return {
      maxContextTokens,
      maxInputTokens: maxContextTokens,
      maxInputs: 1,
      requestTokenBudget: maxContextTokens,
    };
  }
  const longest = maxInputTokens ?? embeddingLimits.maxInputTokens;
  if (kind === 'reranker') {
    return {
      maxContextTokens,
      maxInputTokens: longest,
      maxInputs: rerankLimits.maxDocuments,
      requestTokenBudget: Math.max(longest, rerankLimits.requestTokenBudget),
    };
  }
  return {
    maxContextTokens,
    maxInputTokens: longest,
    maxInputs: embeddingLimits.maxInputs,
    requestTokenBudget: longest,
  };
}

function warming({ etaMs }: ModelQuery, { alias, baseModelId }: AliasRow) {
  const waitMs = etaMs(baseModelId) ?? 2_000;
  return fault('model_warming', {
    message: `The model ${quotedText(alias)} is being activated. Try again after the time in Retry-After.`,
    param: 'model',
    retryAfterSeconds: Math.min(59, Math.max(1, Math.ceil(waitMs / 1_000))),
  });
}

function unknown(requested: string) {
  return notFound(`There is no model ${quotedText(requested)} in this project, or you may not use it.`);
}

function notFound(message: string) {
  return fault('model_not_found', { message, param: 'model' });
}
