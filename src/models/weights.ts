import { statSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { withFileLock } from './file-lock.ts';

/** The file by which a folder says that `pull` made it, and from what. */
export const weightsManifest = 'fanfold-weights.json';
export const weightsIndex = 'model.safetensors.index.json';
export const singleWeights = 'model.safetensors';

/** Where the weights of a model lie that come from a hub; `registry` lies in `<data>/models`. */
export function hubWeightsFolder(registryPath: string, id: string): string {
  return join(dirname(dirname(registryPath)), 'weights', id);
}

export function holdsWeights(folder: string): boolean {
  return (
    isFile(join(folder, 'config.json')) && [singleWeights, weightsIndex].some((name) => isFile(join(folder, name)))
  );
}

/** Deletes weights that `pull` fetched, or began to; those that a person put there stay. Returns the folder, null where there is none. */
export async function removeWeights(registryPath: string, id: string): Promise<string | null> {
  const folder = hubWeightsFolder(registryPath, id);
  const draft = weightsDraft(folder);
  const isBegun = await stat(draft).catch(() => null);
  const isPulled = await stat(join(folder, weightsManifest)).catch(() => null);
  if (!isPulled && !isBegun) return null;
  return withWeightsLock(folder, async () => {
    await rm(draft, { recursive: true, force: true });
    if (!isPulled) return draft;
    await rm(folder, { recursive: true, force: true });
    return folder;
  });
}

/** Where the files gather that are pulled into a folder of weights. */
export function weightsDraft(folder: string): string {
  return join(dirname(folder), `.${basename(folder)}.partial`);
}

export function withWeightsLock<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  const id = basename(folder);
  const lock = { waitMs: 0, busyMessage: `The weights of ${id} are being pulled by another command.` };
  return withFileLock(join(dirname(folder), `.${id}.pull.lock`), lock, work);
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    // Not readable counts as not there.
    return false;
  }
}
