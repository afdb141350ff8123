import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { modelFiles } from '../gguf/parts.ts';

/** Identity of the present content of a model: path, size and change time of its files. Of a missing file: its path. */
export async function stampOf(path: string): Promise<string> {
  const stamps = modelFiles(path).map(async (file) => {
    const found = await stat(file).catch(() => null);
    return found === null ? file : `${file} ${found.size} ${found.mtimeMs} ${found.ino}`;
  });
  return (await Promise.all(stamps)).join(' ');
}

/** Of all files of a split model. Throws the file system's error where one cannot be read. */
export async function sizeOfModel(path: string): Promise<number> {
  const stats = await Promise.all(modelFiles(path).map((file) => stat(file)));
  return stats.reduce((sum, { size }) => sum + size, 0);
}

/** Size for an estimate before anything is loaded; 0 when there is no such file. */
export function fileBytes(path: string | undefined): number {
  if (path === undefined) return 0;
  return modelFiles(path).reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
}
