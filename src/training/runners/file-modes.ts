import { chmod, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCodeOf } from '#kernel';

const [everyRight, rightsOfFiles] = [0o777, 0o666];
/** Only the owner may enter and read. */
export const ownersMode = 0o700;

/** Who may do what with a folder. */
export async function modeOf(folder: string): Promise<number> {
  return (await lstat(folder)).mode & everyRight;
}

/**
 * Gives a file, or a folder and all in it, to those that `mode` lets into a folder: what is copied brings along the modes of where it comes
 * from. What has gone meanwhile, or belongs to somebody else, stays as it is.
 */
export async function setModes(path: string, mode: number): Promise<void> {
  const found = await lstat(path).catch(ignoreOthers);
  if (found?.isFile()) await setMode(path, mode & rightsOfFiles);
  if (!found?.isDirectory()) return;
  await setMode(path, mode);
  const names = (await readdir(path).catch(ignoreOthers)) ?? [];
  for (const name of names) await setModes(join(path, name), mode);
}

/** The same of a folder alone. */
export async function setMode(path: string, mode: number): Promise<void> {
  await chmod(path, mode).catch(ignoreOthers);
}

function ignoreOthers(error: unknown): void {
  if (!['EPERM', 'EACCES', 'ENOENT'].includes(systemCodeOf(error) ?? '')) throw error;
}
