import { createHash } from 'node:crypto';
import { createReadStream, type Stats, statSync } from 'node:fs';
import type { RegisteredFile } from './registry.ts';

/** Path of the file that llama.cpp opens; the other parts of a split model stand beside it. */
export function firstPath(files: readonly RegisteredFile[]): string {
  const [first] = files;
  if (!first) throw new Error('A registered model has no file. This is a bug.');
  return first.path;
}

/** The SHA-256 of a model: that of its file; of a split model, that of the digests of its parts in order. */
export function digestOfFiles(files: readonly Pick<RegisteredFile, 'sha256'>[]): string {
  const digests = files.map(({ sha256 }) => sha256);
  const [only] = digests;
  if (digests.length === 1 && only !== undefined) return only;
  return createHash('sha256').update(digests.join('\n')).digest('hex');
}

/** What is wrong with the files of a model, the words after its name. null: they are those that were registered. */
export function changeOfFiles(files: readonly RegisteredFile[]): string | null {
  for (const file of files) {
    const stat = statFile(file.path);
    if (!stat) return `is gone: ${file.path}`;
    if (!isUnchanged(file, stat)) return `has changed since it was registered: ${file.path}; register it again.`;
  }
  return null;
}

function isUnchanged(file: RegisteredFile, stat: Stats): boolean {
  return stat.size === file.size_bytes && Math.trunc(stat.mtimeMs) === Math.trunc(file.modified_ms);
}

export function statFile(path: string): Stats | null {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat?.isFile() ? stat : null;
  } catch {
    // Not readable counts as not there.
    return null;
  }
}

/** SHA-256 of a file in hex, read as a stream. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk);
  return hash.digest('hex');
}
