import type { Target } from '#engine';
import { assertNever, fault, quotedText } from '#kernel';
import { type BaseModel, isServed, type ModelKind } from './base-model.ts';
import type { TargetType } from './hosted-models.store.ts';
import type { TrainedModels } from './hosted-trained.ts';

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
