import { rm, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { modelIdPattern } from './base-model.ts';
import { withFileLock } from './file-lock.ts';
import { inOneLine, ModelError } from './model-error.ts';
import type { ModelsService } from './models-service.ts';
import { firstPath } from './registered-files.ts';
import { readRegistry, updateRegistry } from './registry.ts';
import { removeWeights } from './weights.ts';

export type RemoveModelOptions = {
  id: string;
  /** Removes a model also when it is used: calls of its aliases then answer that it is not installed, and its training jobs fail. */
  force?: boolean | undefined;
  /** What uses this base model, in words: active aliases of any project, training jobs that are not over. Not called with `force`. */
  listUsesOf: (id: string) => Promise<readonly string[]>;
};

export type RemovedReport = { id: string; deletedFile: string | null; deletedWeights: string | null };

/**
 * Takes a model out of the registry. What was pulled is deleted, a pull that was interrupted too; what a person added stays where it
 * is. Throws `ModelError` with one line, also while the model is being pulled.
 */
export function removeModel(models: ModelsService, options: RemoveModelOptions): Promise<RemovedReport> {
  const { id } = options;
  return inOneLine(async () => {
    const listed = models.catalogue.entries.find((entry) => entry.id === id);
    if (listed?.source.type === 'shipped') throw new ModelError(`${id} ships with Fanfold and cannot be removed.`);
    if (!modelIdPattern.test(id)) throw noSuchModel(id);
    const hasFolder = (await stat(pulledFolder(models, id)).catch(() => null)) !== null;
    if (!hasFolder && !readRegistry(models.registryPath).entries.has(id) && !models.findKnown(id))
      throw noSuchModel(id);
    return await withPullLock(models, id, () => checkAndRemove(models, options));
  });
}

/** One command at a time may fetch or remove the file of a model. */
export function withPullLock<Result>(models: ModelsService, id: string, work: () => Promise<Result>): Promise<Result> {
  const lock = { waitMs: 0, busyMessage: `${id} is being pulled by another command.` };
  return withFileLock(`${pulledFolder(models, id)}.pull.lock`, lock, work);
}

async function checkAndRemove(models: ModelsService, options: RemoveModelOptions): Promise<RemovedReport> {
  const { id } = options;
  const entry = readRegistry(models.registryPath).entries.get(id);
  if (!entry) return removeRemains(models, id);
  if (!options.force) await refuseUsed(options);
  await updateRegistry(models.registryPath, id, null);
  const deletedWeights = await removeWeights(models.registryPath, id);
  const folder = pulledFolder(models, id);
  const path = firstPath(entry.files);
  if (!path.startsWith(folder + sep)) return { id, deletedFile: null, deletedWeights };
  await rm(folder, { recursive: true, force: true });
  return { id, deletedFile: path, deletedWeights };
}

function noSuchModel(id: string): ModelError {
  return new ModelError(`There is no model ${JSON.stringify(id.slice(0, 80))}.`);
}

/** What is there of a model that is not installed: weights to train on, and what a pull had fetched. */
async function removeRemains(models: ModelsService, id: string): Promise<RemovedReport> {
  const deletedWeights = await removeWeights(models.registryPath, id);
  const deletedFile = await removeFolder(pulledFolder(models, id));
  if (deletedWeights === null && deletedFile === null) throw new ModelError(`${id} is not installed.`);
  return { id, deletedFile, deletedWeights };
}

async function refuseUsed({ id, listUsesOf }: RemoveModelOptions): Promise<void> {
  const uses = await listUsesOf(id);
  if (uses.length > 0)
    throw new ModelError(`${id} is used by ${uses.slice(0, 5).join(', ')}; remove it all the same with --force.`, {
      inRequest: `${id} is used by ${uses.slice(0, 5).join(', ')}. With force it is removed all the same.`,
    });
}

async function removeFolder(folder: string): Promise<string | null> {
  if (!(await stat(folder).catch(() => null))) return null;
  await rm(folder, { recursive: true, force: true });
  return folder;
}

/** Where `pull` keeps a model's file. */
export function pulledFolder(models: ModelsService, id: string): string {
  return join(dirname(models.registryPath), id);
}
