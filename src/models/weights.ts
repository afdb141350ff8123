import { statSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The file by which a folder says that `pull` made it, and from what. */
export const weightsManifest = 'fanfold-weights.json';
export const weightsIndex = 'model.safetensors.index.json';
export const singleWeights = 'model.safetensors';

/** Where the weights of a model lie that come from a hub; `registry` lies in `<data>/models`. */
export function hubWeightsFolder(registryPath: string, id: string): string {
  return join(dirname(dirname(registryPath)), 'weights', id);
}

/** Whether a folder holds a model in Hugging Face form. */
export function holdsWeights(folder: string): boolean {
  return (
    isFile(join(folder, 'config.json')) && [singleWeights, weightsIndex].some((name) => isFile(join(folder, name)))
  );
}

/** Deletes weights that `pull` fetched; those that a person put there stay. Returns the folder, null where there is none. */
export async function removeWeights(registryPath: string, id: string): Promise<string | null> {
  const folder = hubWeightsFolder(registryPath, id);
  const isPulled = await stat(join(folder, weightsManifest)).catch(() => null);
  if (!isPulled) return null;
  await rm(folder, { recursive: true, force: true });
  return folder;
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    // Not readable counts as not there.
    return false;
  }
}
