import { rm } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { inOneLine, ModelError } from './model-error.ts';
import type { ModelsService } from './models-service.ts';
import { readRegistry, updateRegistry } from './registry.ts';
import { removeWeights } from './weights.ts';

export type RemoveModelOptions = {
  id: string;
  /** Removes a model also when aliases use it; their calls then answer that the model is not installed. */
  force?: boolean | undefined;
  /** Active aliases of any project on this base model, as `owner/project/alias`. Not called with `force`. */
  listAliasesOf: (id: string) => Promise<readonly string[]>;
};

export type RemovedReport = { id: string; deletedFile: string | null; deletedWeights: string | null };

/**
 * Takes a model out of the registry. What was pulled is deleted; what a person added stays where it is. Throws
 * `ModelError` with one line.
 */
export function removeModel(models: ModelsService, options: RemoveModelOptions): Promise<RemovedReport> {
  return inOneLine(() => checkAndRemove(models, options));
}

async function checkAndRemove(models: ModelsService, options: RemoveModelOptions): Promise<RemovedReport> {
  const { id } = options;
  const listed = models.catalogue.entries.find((entry) => entry.id === id);
  if (listed?.source.type === 'shipped') throw new ModelError(`${id} ships with Fanfold and cannot be removed.`);
  const entry = readRegistry(models.registryPath).entries.get(id);
  if (!entry) {
    const deletedWeights = listed ? await removeWeights(models.registryPath, id) : null;
    if (deletedWeights !== null) return { id, deletedFile: null, deletedWeights };
    throw new ModelError(listed ? `${id} is not installed.` : `There is no model ${JSON.stringify(id.slice(0, 80))}.`);
  }
  if (!options.force) {
    const aliases = await options.listAliasesOf(id);
    if (aliases.length > 0) {
      throw new ModelError(`${id} is used by ${aliases.slice(0, 5).join(', ')}; remove it all the same with --force.`);
    }
  }
  await updateRegistry(models.registryPath, id, null);
  const deletedWeights = await removeWeights(models.registryPath, id);
  const folder = pulledFolder(models, id);
  if (!entry.file.path.startsWith(folder + sep)) return { id, deletedFile: null, deletedWeights };
  await rm(folder, { recursive: true, force: true });
  return { id, deletedFile: entry.file.path, deletedWeights };
}

/** Where `pull` keeps a model's file. */
export function pulledFolder(models: ModelsService, id: string): string {
  return join(dirname(models.registryPath), id);
}
