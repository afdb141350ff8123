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
  const patterns = folders.map((folder) => `${folder}/**/*.{ts,tsx}`);
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

/** Cycles of relative imports, each as its files from the first one on. */
export function importCycles(files: readonly SourceFile[]): string[] {
  const graph = new Map(
    files.map(({ path, imports }) => [
      path,
      imports.filter((specifier) => specifier.startsWith('.')).map((specifier) => resolveImport(path, specifier)),
    ]),
  );
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): string[] => {
    if (trail.includes(path)) return [[...trail.slice(trail.indexOf(path)), path].join(' -> ')];
    if (done.has(path)) return [];
    const found = (graph.get(path) ?? []).flatMap((next) => visit(next, [...trail, path]));
    done.add(path);
    return found;
  };
  return [...graph.keys()].flatMap((path) => visit(path, []));
}
