import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { test } from 'node:test';
import { importCycles, readSources, resolveImport, type SourceFile } from '#test/source-tree.ts';
import { layers, webArrows } from './web-arrows.ts';

const sources = readSources(['web/src']);
const generated = 'web/src/api/generated/';
const written = sources.filter(({ path }) => !path.startsWith(generated));

/** `rooms/keys` of a file in that room; otherwise the folder in `web/src`, or the file in it. The kernel of the server is a part of its own. */
function partOf(path: string): string {
  if (path.startsWith('src/kernel/')) return 'kernel';
  const [, , folder = '', room] = path.split('/');
  return folder === 'rooms' ? `rooms/${room}` : folder.replace(/\..*$/, '');
}

const roomOf = (path: string): string | undefined => /^web\/src\/rooms\/([^/]+)\//.exec(path)?.[1];

/** The files that a file imports. Styles and packages are left out. */
const targetsOf = ({ path, imports }: SourceFile): string[] =>
  imports.filter((specifier) => /^\..*\.tsx?$/.test(specifier)).map((specifier) => resolveImport(path, specifier));

function violations(find: (file: SourceFile) => readonly string[]): string[] {
  return sources.flatMap((file) => find(file).map((violation) => `${file.path}: ${violation}`));
}

test('rooms of the web app import only along the listed arrows, and every listed arrow is used', () => {
  const used = new Set<string>();
  assert.deepEqual(
    violations((file) => {
      const room = roomOf(file.path);
      if (room === undefined) return [];
      return targetsOf(file).flatMap((target) => {
        const other = roomOf(target);
        if (other === room) return [];
        if (other === undefined) return partOf(target) in layers ? [] : [`imports ${target}`];
        used.add(`${room} -> ${other}`);
        return webArrows[room]?.[other] ? [] : [`imports the room ${other}`];
      });
    }),
    [],
  );
  const listed = Object.entries(webArrows).flatMap(([room, targets]) =>
    Object.keys(targets).map((target) => `${room} -> ${target}`),
  );
  assert.deepEqual(
    listed.filter((arrow) => !used.has(arrow)),
    [],
  );
});

test('what stands below the rooms of the web app does not import them', () => {
  assert.deepEqual(
    violations((file) => {
      const part = partOf(file.path);
      const allowed = layers[part];
      if (allowed === undefined) return [];
      return targetsOf(file).filter((target) => partOf(target) !== part && !allowed.includes(partOf(target)));
    }),
    [],
  );
});

test('a room of the web app is imported through its index.ts only', () => {
  assert.deepEqual(
    violations((file) =>
      file.imports
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => resolveImport(file.path, specifier))
        .filter((target) => {
          const room = roomOf(target);
          if (room === undefined) return false;
          const isIndex = target === `web/src/rooms/${room}/index.ts`;
          return isIndex ? roomOf(file.path) === room : roomOf(file.path) !== room;
        }),
    ),
    [],
  );
});

test('an index.ts of a room of the web app is a list of exports, and is never loaded as a whole', () => {
  for (const { path, text } of sources.filter(({ path: each }) => /^web\/src\/rooms\/[^/]+\/index\.ts$/.test(each))) {
    const others = text.replace(/^export (?:type )?\{[^}]*\} from '\.\/[^']+';\n/gm, '');
    assert.equal(others, '', path);
  }
  assert.deepEqual(
    violations(({ text }) => text.match(/import\('[^']*\/index\.ts'\)/g) ?? []),
    [],
  );
});

test('files of the web app form no cycle, not of lazy imports either', () => {
  assert.deepEqual(importCycles(sources), []);
});

test('files of the web app are short', () => {
  assert.deepEqual(
    written.filter(({ text }) => text.split('\n').length > 300).map(({ path }) => path),
    [],
  );
});

test('no two exported types of the web app have one name', () => {
  const paths = new Map<string, string[]>();
  for (const { path, text } of written)
    for (const [, name = ''] of text.matchAll(/^export (?:type|interface|class) (\w+)/gm))
      paths.set(name, [...(paths.get(name) ?? []), basename(path)]);
  assert.deepEqual(
    [...paths].filter(([, files]) => files.length > 1),
    [],
  );
});
