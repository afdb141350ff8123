import type { Static } from 'typebox';
import type { RuntimeStatus } from '#engine';
import { formatCredits } from '#kernel';
import type { ProjectSeen } from '#projects';
import type { BaseModel } from './base-model.ts';
import type { AliasRevision } from './hosted-changes.store.ts';
import { type HostedEntry, stateOfBase } from './hosted-list.ts';
import type { hostedSchema, revisionSchema } from './hosted-models.schema.ts';
import type { HostedModel } from './hosted-models.store.ts';
import type { TrainedFacts } from './hosted-target.ts';
import { limitsOf } from './resolve.ts';

export type HostedWire = Static<typeof hostedSchema>;
export type RevisionWire = Static<typeof revisionSchema>;

export type AliasContext = {
  project: ProjectSeen;
  findBase: (id: string) => BaseModel | undefined;
  findJob: (id: string) => TrainedFacts | undefined;
  status: (baseModelId: string) => RuntimeStatus;
};

export function entryToWire(entry: HostedEntry, context: AliasContext): HostedWire {
  if (entry.source === 'base') return baseToWire(entry.baseModel, context);
  return aliasToWire(entry.model, context);
}

export function aliasToWire(model: HostedModel & { shareCount: number }, context: AliasContext): HostedWire {
  const { project, findBase, findJob, status } = context;
  const baseModel = findBase(model.baseModelId);
  const job = model.targetType === 'training_job' ? findJob(model.targetId) : undefined;
  return {
    id: model.id,
    alias: model.alias,
    display_name: model.displayName,
    source: 'alias',
    kind: baseModel?.kind ?? project.kind,
    target: { type: model.targetType, id: model.targetId },
    base_model: model.baseModelId,
    revision: model.revision,
    revision_sha256: model.revisionSha256,
    enabled: model.state !== 'inactive',
    state: model.state,
    runtime: runtimeToWire(status(model.baseModelId)),
    visibility: model.visibility,
    share_count: model.shareCount,
    limits: limitsToWire(baseModel, job?.maxInputTokens ?? null),
    dimensions: baseModel?.dimensions ?? null,
    query_instruction: job ? job.queryInstruction : (baseModel?.queryInstruction ?? null),
    rate: rateToWire(model),
    error: model.error,
    owner: { id: project.accountId, slug: project.ownerSlug },
    created_at: model.createdAt.toISOString(),
    updated_at: model.updatedAt.toISOString(),
    last_called_at: model.lastCalledAt?.toISOString() ?? null,
  };
}

function baseToWire(model: BaseModel, { status }: AliasContext): HostedWire {
  const state = stateOfBase(model);
  return {
    id: model.id,
    alias: model.id,
    display_name: model.name,
    source: 'base',
    kind: model.kind,
    target: { type: 'base_model', id: model.id },
    base_model: model.id,
    revision: null,
    revision_sha256: model.installed?.sha256 ?? null,
    enabled: state === 'active',
    state,
    runtime: runtimeToWire(status(model.id)),
    visibility: 'private',
    share_count: 0,
    limits: limitsToWire(model, null),
    dimensions: model.dimensions,
    query_instruction: model.queryInstruction,
    rate: { ...rateToWire(model), frozen_at: null },
    error: null,
    owner: null,
    created_at: model.created.toISOString(),
    updated_at: model.created.toISOString(),
    last_called_at: null,
  };
}

export function revisionToWire(revision: AliasRevision, current: number): RevisionWire {
  return {
    revision: revision.revision,
    current: revision.revision === current,
    target: { type: revision.targetType, id: revision.targetId },
    base_model: revision.baseModelId,
    revision_sha256: revision.sha256,
    rate: rateToWire(revision),
    restored_from: revision.restoredFrom,
    created_by: revision.createdBy,
    created_at: revision.createdAt.toISOString(),
  };
}

type Rate = Pick<HostedModel, 'rateMicroPerMinute' | 'priceVersion'> & { rateFrozenAt?: Date };

export function rateToWire({ rateMicroPerMinute, priceVersion, rateFrozenAt }: Rate): HostedWire['rate'] {
  return {
    credits_per_gpu_minute: formatCredits(rateMicroPerMinute),
    frozen_at: rateFrozenAt?.toISOString() ?? null,
    price_version: priceVersion,
  };
}

function runtimeToWire({ status, etaMs, loadedAtMs, runsOn }: RuntimeStatus): HostedWire['runtime'] {
  const loaded_at = loadedAtMs === null ? null : new Date(loadedAtMs).toISOString();
  return { status, eta_ms: etaMs, loaded_at, runs_on: runsOn };
}

function limitsToWire(model: BaseModel | undefined, trainedInputTokens: number | null): HostedWire['limits'] {
  if (!model) return { max_context_tokens: null, max_input_tokens: null, max_inputs: null, request_token_budget: null };
  if (model.kind === 'text') {
    const max_context_tokens = model.maxContextTokens;
    return { max_context_tokens, max_input_tokens: null, max_inputs: null, request_token_budget: null };
  }
  const limits = limitsOf({ ...model, maxInputTokens: trainedInputTokens ?? model.maxInputTokens });
  return {
    max_context_tokens: null,
    max_input_tokens: limits.maxInputTokens,
    max_inputs: limits.maxInputs,
    request_token_budget: limits.requestTokenBudget,
  };
}
