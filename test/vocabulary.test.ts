import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readSources, root } from '#test/source-tree.ts';
import { repeatedTypes, replacedNames, spreadsLeft } from './replaced-names.ts';

/** The names that the code uses: standard terms, each type name once. */
const files = globSync(
  [
    '{src,test,bench,scripts}/**/*.{ts,mjs}',
    'migrations/*.sql',
    'web/src/**/*.{ts,tsx}',
    'docs/{*,adr/*,guides/*,performance/*}.md',
    '{README,CONTRIBUTING,CHANGELOG}.md',
  ],
  { cwd: root },
)
  .filter((path) => !/\/generated\/|^test\/(replaced-names|vocabulary\.test)\.ts$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** Identifiers, comments, strings and the file's own name as plain words: `underWay` and `under-way` become `under way`. */
function wordsOf({ path, text }: { path: string; text: string }): string {
  return `${path}\n${text}`
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[\s_*/-]+/g, ' ')
    .toLowerCase();
}

test('replaced names are not used', () => {
  const found = files.flatMap((file) => {
    const words = wordsOf(file);
    return replacedNames
      .filter(({ left = [] }) => !left.some((folder) => file.path.startsWith(folder)))
      .filter(({ old }) => new RegExp(`\\b(?:${old})\\b`).test(words))
      .map(({ old, now }) => `${file.path}: ${old} -> ${now}`);
  });
  assert.deepEqual(found, []);
});

test('no two exported types have one name', () => {
  const places = new Map<string, string[]>();
  for (const { path, text, isTest } of readSources(['src']))
    if (!isTest)
      for (const [, name = ''] of text.matchAll(/^export (?:type|interface) (\w+)/gm))
        places.set(name, [...(places.get(name) ?? []), path]);
  assert.deepEqual(
    [...places].filter(([name, paths]) => paths.length > 1 && !repeatedTypes.includes(name)),
    [],
  );
});

test('no object literal is spread into another one', () => {
  const found = files.filter(
    ({ path, text }) =>
      /\.tsx?$/.test(path) && /\.\.\.\{(?!\})/.test(text) && !spreadsLeft.some((folder) => path.startsWith(folder)),
  );
  assert.deepEqual(
    found.map(({ path }) => path),
    [],
  );
});
