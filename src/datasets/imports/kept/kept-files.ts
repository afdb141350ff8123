import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ObjectPlace } from '../worker/protocol.ts';

/** Kept rows can be made again, so they are removed sooner than the import that waits expires. */
const longestMs = 6 * 3_600_000;
const name = /^(imp_[0-9A-Za-z]+)-\d+\.rows(\.[0-9a-f]+\.draft)?$/;

/** The folder of kept rows: beside the objects where those are files, too, because there is room for them. */
export function keptFolder({ objectPlace, tempDir }: { objectPlace: ObjectPlace; tempDir: string }): string {
  return objectPlace.kind === 'folder' ? path.join(objectPlace.root, '.kept') : path.join(tempDir, 'kept');
}

/** Where the rows of a reading are kept. */
export function keptFile(folder: string, { importId, reading }: { importId: string; reading: number }): string {
  return path.join(folder, `${importId}-${reading}.rows`);
}

/**
 * Whether the folder belongs to this user alone. Its files hold private data and are trusted when they are read, so
 * no other user may read or write them.
 */
export async function isOurs(folder: string): Promise<boolean> {
  const { uid, mode } = await stat(folder);
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0);
}

/** Removes what was kept of an import, also by workers that died at it. */
export async function removeKept(folder: string, importId: string): Promise<void> {
  for (const file of await listKept(folder)) if (file.importId === importId) await rm(file.path, { force: true });
}

/** Removes what is old, and what imports of which `findOver` says that they are over have left. */
export async function sweepKept(
  folder: string,
  { findOver, nowMs }: { findOver: (importIds: readonly string[]) => Promise<readonly string[]>; nowMs: number },
): Promise<void> {
  const files = await listKept(folder);
  if (files.length === 0) return;
  const over = new Set(await findOver([...new Set(files.map(({ importId }) => importId))]));
  for (const file of files) {
    const changedMs = await stat(file.path).then(
      ({ mtimeMs }) => mtimeMs,
      () => nowMs,
    );
    if (over.has(file.importId) || changedMs < nowMs - longestMs) await rm(file.path, { force: true });
  }
}

async function listKept(folder: string): Promise<{ path: string; importId: string }[]> {
  const names = await readdir(folder).catch(() => []);
  return names.flatMap((file) => {
    const [, importId] = name.exec(file) ?? [];
    return importId === undefined ? [] : [{ path: path.join(folder, file), importId }];
  });
}
