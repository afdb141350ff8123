import type { Target } from '#engine';
import { assertNever, type CountedRows, fault, type ListPosition, quotedText } from '#kernel';
import type { BaseModel } from './base-model.ts';
import type { HostedModel, TargetType } from './hosted-models.store.ts';
import type { ModelKind } from './model-kinds.ts';
import { isServed, type TrainedModel } from './resolve.ts';

export type TargetName = { type: TargetType; id: string };

/** The same, found: it is there and can be loaded. */
export type HostedTarget = {
  name: TargetName;
  kind: ModelKind;
  baseModel: BaseModel;
  runs: Target;
  /** Digest of the file that makes it: of the adapter, or of the base model itself; null where that is elsewhere. */
  sha256: string | null;
};

export type TargetDeps = { models: { find: (id: string) => BaseModel | undefined }; trainedModels: TrainedModels };

/**
 * Finds a target that the owner of a project may put behind an alias. Throws `model_not_found` for what is not there or not
 * his, `state_conflict` for what cannot be served yet.
 */
export async function findTarget(deps: TargetDeps, name: TargetName, ownerId: string): Promise<HostedTarget> {
  if (name.type === 'base_model') return baseTarget(deps, name);
  if (name.type === 'training_job') return trainedTarget(deps, name, ownerId);
  return assertNever(name.type);
}

function baseTarget({ models }: TargetDeps, name: TargetName): HostedTarget {
  const baseModel = models.find(name.id);
  if (!baseModel) throw unknown(`There is no base model ${quotedText(name.id)}.`);
  if (!isServed(baseModel)) throw notInstalled(baseModel.id);
  const sha256 = baseModel.installed?.sha256 ?? null;
  return { name, kind: baseModel.kind, baseModel, runs: { baseModelId: baseModel.id, adapter: null }, sha256 };
}

async function trainedTarget(deps: TargetDeps, name: TargetName, ownerId: string): Promise<HostedTarget> {
  const job = (await deps.trainedModels.find([name.id], ownerId)).get(name.id);
  if (!job) throw unknown(`There is no training job ${quotedText(name.id)} that you may use.`);
  const { adapter, kind, state } = job;
  if (!adapter) {
    throw fault('state_conflict', {
      message: 'The training job has not succeeded, so there is nothing to serve.',
      param: 'target.id',
      details: { reason: 'target_not_ready', state, allowed_from: ['succeeded'] },
    });
  }
  const baseModel = deps.models.find(job.baseModelId);
  if (!baseModel) throw notInstalled(job.baseModelId);
  if (!baseModel.installed) throw notInstalled(baseModel.id);
  return { name, kind, baseModel, runs: { baseModelId: baseModel.id, adapter }, sha256: adapter.sha256 };
}

function notInstalled(baseModelId: string) {
  return fault('state_conflict', {
    message: `The base model ${baseModelId} is listed but not installed.`,
    param: 'target.id',
    details: { reason: 'not_installed', state: 'not_installed', allowed_from: ['installed'] },
  });
}

function unknown(message: string) {
  return fault('model_not_found', { message, param: 'target.id' });
}

export type TrainedModels = {
  /** Those of the jobs that the account may use, by id. */
  find: (jobIds: readonly string[], accountId: string) => Promise<ReadonlyMap<string, TrainedModel>>;
};

/** What lists show of a training job, which does not need its files. */
export type TrainedFacts = Pick<TrainedModel, 'jobId' | 'maxInputTokens' | 'queryInstruction'>;

/** Where lists learn about the jobs that aliases stand for, by id; each as far as the owner of its alias may use it. */
export type TrainedJobs = {
  describe: (jobs: readonly { jobId: string; accountId: string }[]) => Promise<ReadonlyMap<string, TrainedFacts>>;
};

export function jobsBehind<Alias extends Pick<HostedModel, 'targetType' | 'targetId'>>(
  aliases: readonly Alias[],
  ownerOf: (alias: Alias) => string,
): { jobId: string; accountId: string }[] {
  return aliases
    .filter(({ targetType }) => targetType === 'training_job')
    .map((alias) => ({ jobId: alias.targetId, accountId: ownerOf(alias) }));
}

export type FinishedJob = {
  id: string;
  name: string;
  kind: ModelKind;
  baseModelId: string;
  projectSlug: string;
  ownerId: string;
  ownerSlug: string;
  isArchived: boolean;
  maxInputTokens: number | null;
  createdAt: Date;
  finishedAt: Date;
  /** `createdAt` with microseconds. */
  position: string;
};

/** null: does not matter. `q` is folded text. */
export type FinishedJobsFilter = {
  accountId: string;
  kind: ModelKind | null;
  project: { ownerSlug: string; slug: string } | null;
  q: string | null;
};

export type FinishedJobs = {
  list: (filter: FinishedJobsFilter, page: { after: ListPosition; limit: number }) => Promise<CountedRows<FinishedJob>>;
};

/** An installation that trains nothing: there is no job that anybody could use. */
export const noFinishedJobs: FinishedJobs = { list: () => Promise.resolve({ rows: [], totalCount: 0 }) };
