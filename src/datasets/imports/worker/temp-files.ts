import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';

/** Where a worker puts files of an import that cannot be read as they come. It removes them when it is done. */
export function tempFolderOf(tempDir: string, importId: string): string {
  return path.join(tempDir, importId);
}

const name = /^imp_[0-9A-Za-z]+$/;

/** Removes what workers have left that were killed, of imports of which `findOver` says that they are over: no worker comes for it. */
export async function sweepTempFiles(
  tempDir: string,
  findOver: (importIds: readonly string[]) => Promise<readonly string[]>,
): Promise<void> {
  const importIds = (await readdir(tempDir).catch(() => [])).filter((each) => name.test(each));
  if (importIds.length === 0) return;
  for (const importId of await findOver(importIds))
    await rm(tempFolderOf(tempDir, importId), { recursive: true, force: true });
}
