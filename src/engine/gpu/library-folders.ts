import { glob, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProcessEnvironment } from '#processes';

export type LibrarySearch = {
  environment: ProcessEnvironment;
  /** Of the trainer: the packages of torch for GPUs bring CUDA's libraries. null: there is none. */
  pythonFolder: string | null;
  /** That packages of NVIDIA were installed into, with `pip install --target`. */
  packageFolder: string;
  /** Of the file system. */
  root?: string;
};

const inCuda = '{lib64,lib,targets/x86_64-linux/lib}';
/** Beside the folders that the system's loader searches by itself. */
const inSystem = [
  `usr/local/cuda*/${inCuda}`,
  `opt/cuda*/${inCuda}`,
  'usr/local/nvidia/{lib64,lib}',
  'usr/lib/wsl/lib',
];
const ofPip = 'nvidia/*/lib';

/** The folders that have one of these libraries, in the order in which they are searched. */
export async function findLibraryFolders(libraries: readonly string[], search: LibrarySearch): Promise<string[]> {
  const found: string[] = [];
  for (const folder of await foldersOf(search)) {
    const has = await Promise.all(
      libraries.map((name) =>
        stat(join(folder, name)).then(
          () => true,
          () => false,
        ),
      ),
    );
    if (has.includes(true) && !found.includes(folder)) found.push(folder);
  }
  return found;
}

async function foldersOf({ environment, pythonFolder, packageFolder, root = '/' }: LibrarySearch): Promise<string[]> {
  const named = [environment['CUDA_PATH'], environment['CUDA_HOME']].filter(
    (path) => path !== undefined && path !== '',
  );
  const patterns = [
    ...named.map((path) => [path, inCuda]),
    [packageFolder, ofPip],
    ...(pythonFolder === null ? [] : [[pythonFolder, `lib/python3*/site-packages/${ofPip}`]]),
    ...inSystem.map((pattern) => [root, pattern]),
  ];
  const folders: string[] = [];
  for (const [cwd = '', pattern = ''] of patterns)
    for (const name of (await Array.fromAsync(glob(pattern, { cwd }))).sort()) folders.push(join(cwd, name));
  return folders;
}

/** `LD_LIBRARY_PATH` of a process: what it had comes first. */
export function libraryPath(before: string | undefined, folders: readonly string[]): string {
  return [before, ...folders].filter((part) => part !== undefined && part !== '').join(':');
}
