import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type ModelShape, readShape } from './gguf-shape.ts';

export type ModelFile = { path: string; bytes: number; stamp: string; shape: ModelShape | null };

/** Identity of a file's present content: path, size and change time. Of a missing file: its path. */
export async function stampOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  return found === null ? path : `${path} ${found.size} ${found.mtimeMs} ${found.ino}`;
}

/** Throws the file system's error when the file cannot be read. */
export async function readModelFile(path: string): Promise<ModelFile> {
  const stamp = await stampOf(path);
  const { size } = await stat(path);
  return { path, bytes: size, stamp, shape: await readShape(path) };
}

/** Size for an estimate before anything is loaded; 0 when there is no such file. */
export function fileBytes(path: string | undefined): number {
  return path === undefined ? 0 : (statSync(path, { throwIfNoEntry: false })?.size ?? 0);
}
