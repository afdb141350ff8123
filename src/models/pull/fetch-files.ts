import { basename, join } from 'node:path';
import { bytesIn, checkFreeBytes, download, isListed, partialPathOf } from './download.ts';
import type { ListedFile } from './hub-listing.ts';
import type { TransferOptions } from './transfer-options.ts';

export type FilesPull = TransferOptions & {
  repo: string;
  commit: string;
  folder: string;
  /** Whether files that are there, and whole, are fetched again. */
  isAnew: boolean;
};

/** Brings files into a folder, under their names without folders, one after the other and reported as one transfer. */
export async function fetchFiles(pull: FilesPull, files: readonly ListedFile[]): Promise<string[]> {
  const { folder, commit } = pull;
  const paths = files.map(({ name }) => localPath(folder, name));
  const totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const here = paths.map((path) => (pull.isAnew ? 0 : bytesIn(path)) || bytesIn(partialPathOf(path, commit)));
  await checkFreeBytes(folder, totalBytes - here.reduce((sum, bytes) => sum + bytes, 0), pull.freeBytes);
  let bytesBefore = 0;
  for (const file of files) {
    await fetchFile(pull, file, { bytesBefore, totalBytes });
    bytesBefore += file.sizeBytes;
  }
  return paths;
}

/** Brings a file into a folder; one that an earlier pull has brought stays, unless all are fetched again. */
export async function fetchFile(
  pull: FilesPull,
  file: ListedFile,
  whole?: { bytesBefore: number; totalBytes: number },
): Promise<void> {
  const path = localPath(pull.folder, file.name);
  if (pull.isAnew || !(await isListed(path, file))) await download({ ...pull, file, path, whole });
}

function localPath(folder: string, name: string): string {
  return join(folder, basename(name));
}
