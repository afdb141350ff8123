import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export type SourceFile = {
  /** From the repository root, with slashes. */
  path: string;
  text: string;
  /** Test, or something only tests use. */
  isTest: boolean;
  /** What it imports, as written. */
  imports: string[];
};

const importPattern = /^(?:import|export)\b[^;]*?\bfrom '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm;

/** All TypeScript files of the given folders. */
export function readSources(folders: readonly string[]): SourceFile[] {
  const patterns = folders.map((folder) => `${folder}/**/*.ts`);
  return globSync(patterns, { cwd: root })
    .toSorted()
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      return {
        path,
        text,
        isTest: path.startsWith('test/') || /\.(test|fixture)\.ts$/.test(path),
        imports: [...text.matchAll(importPattern)].map(([, from, bare, dynamic]) => from ?? bare ?? dynamic ?? ''),
      };
    });
}

/** The room of a file under `src`, or its own name for the files directly in `src`. */
export function roomOf(path: string): string {
  const [, room = ''] = path.split('/');
  return room.replace(/\..*$/, '');
}

/** Repository path of a relative import. */
export function resolveImport(from: string, specifier: string): string {
  return join(dirname(from), specifier);
}
