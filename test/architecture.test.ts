import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
import { importCycles, readSources, resolveImport, roomOf, type SourceFile } from '#test/source-tree.ts';
import { arrows } from './arrows.ts';
import { strangers, tables } from './table-owners.ts';

/** Files directly in src, the wiring in src/app, and the command line: they put the rooms together and may see all of them. */
const wiring = new Set(['app', 'main', 'config', 'settings', 'cli']);

/** Entry points of child processes: they have an environment and standard streams of their own. */
const childPrograms = new Set([
  'src/datasets/imports/worker/child.ts',
  'src/engine/llama/grammar-child.ts',
  'src/engine/llama/child.ts',
  'src/engine/tokens/counter-child.ts',
  'src/engine/probe/probe-child.ts',
  'src/indexes/vectors/scan-child.ts',
]);

const forbiddenNames = /^(utils?|helpers?|common|shared|types|misc|constants|interfaces|lib)\.ts$/;
const inputOutput =
  /^(node:(fs|fs\/promises|net|http|https|child_process|dns|tls|worker_threads|os)|pg|fastify|undici|node-llama-cpp|pino|yaml)$/;
const isPure = (path: string) =>
  path.startsWith('src/kernel/') || path.startsWith('src/engine/text/') || path === 'src/engine/llama/scheduler.ts';

const sources = readSources(['src']);
const everything = readSources(['src', 'test', 'bench']);
const program = sources.filter(({ isTest }) => !isTest);

/** Fails with one line per offence. */
function assertNone(offences: readonly string[]): void {
  assert.deepEqual(offences, []);
}

function offences(files: readonly SourceFile[], find: (file: SourceFile) => readonly string[]): string[] {
  return files.flatMap((file) => find(file).map((offence) => `${file.path}: ${offence}`));
}

test('rooms import only along the listed arrows, and every listed arrow is used', () => {
  const used = new Set<string>();
  const bad = offences(program, ({ path, imports }) => {
    const room = roomOf(path);
    return imports.flatMap((specifier) => {
      const target = /^#([a-z]+)$/.exec(specifier)?.[1];
      if (target === undefined || target === 'kernel' || wiring.has(room)) return [];
      used.add(`${room} -> ${target}`);
      return arrows[room]?.[target] ? [] : [`imports ${specifier}`];
    });
  });
  assertNone(bad);
  const listed = Object.entries(arrows).flatMap(([room, targets]) =>
    Object.keys(targets).map((to) => `${room} -> ${to}`),
  );
  assertNone(listed.filter((arrow) => !used.has(arrow)));
});

test('the arrows form no cycle', () => {
  const done = new Set<string>();
  const visit = (room: string, path: readonly string[]): void => {
    assert.ok(!path.includes(room), [...path, room].join(' -> '));
    if (done.has(room)) return;
    for (const target of Object.keys(arrows[room] ?? {})) visit(target, [...path, room]);
    done.add(room);
  };
  for (const room of Object.keys(arrows)) visit(room, []);
});

test('files of a room form no cycle either, not of types alone', () => {
  assertNone(importCycles(program));
});

test('a room is entered by its door only', () => {
  assertNone(
    offences(sources, ({ path, imports }) =>
      imports.filter((specifier) => {
        if (!specifier.startsWith('.'))
          return specifier.startsWith('#') && !/^#([a-z]+|test\/[a-z-]+\.ts)$/.test(specifier);
        const target = resolveImport(path, specifier);
        return roomOf(target) !== roomOf(path) && !wiring.has(roomOf(path));
      }),
    ),
  );
  const doors = program.filter(({ path }) => /^src\/[a-z]+\/index\.ts$/.test(path));
  assertNone(offences(doors, ({ text }) => (text.split('\n').length > 60 ? ['is a long door'] : [])));
});

test('nothing in src needs the tests, and nobody imports main.ts', () => {
  assertNone(
    offences(program, ({ imports }) =>
      imports.filter(
        (specifier) =>
          specifier.startsWith('#test/') || /\.(test|fixture)\.ts$/.test(specifier) || /\/main\.ts$/.test(specifier),
      ),
    ),
  );
});

test('pure parts do no input or output', () => {
  const pure = program.filter(({ path }) => isPure(path));
  assert.ok(pure.length > 10);
  assertNone(offences(pure, ({ imports }) => imports.filter((specifier) => inputOutput.test(specifier))));
});

test('stores and pure parts know no wire shapes', () => {
  const inner = program.filter(({ path }) => path.endsWith('.store.ts') || isPure(path));
  assertNone(offences(inner, ({ imports }) => imports.filter((specifier) => /\.(schema|routes)\.ts$/.test(specifier))));
});

test('a table is touched only by the stores of the room that owns it', () => {
  const statement = /\b(?:from|join|into|update|table|truncate)\s+(?:only\s+)?([a-z_]+)\b/g;
  assertNone(
    offences(program, ({ path, text }) => {
      const touched = new Set([...text.matchAll(statement)].map(([, table = '']) => table));
      return [...touched].flatMap((table) => {
        const owner = tables[table];
        if (owner === undefined || !text.includes('query')) return [];
        if (owner === roomOf(path) && (path.endsWith('.store.ts') || owner === 'db')) return [];
        return strangers[path]?.tables.includes(table) ? [] : [`touches ${table}, which belongs to ${owner}`];
      });
    }),
  );
});

test('child processes are started by the room for them only', () => {
  const others = program.filter(({ path }) => roomOf(path) !== 'processes');
  assertNone(offences(others, ({ imports }) => imports.filter((specifier) => specifier === 'node:child_process')));
});

test('the environment is read in config.ts only', () => {
  const others = program.filter(({ path }) => path !== 'src/config.ts' && !childPrograms.has(path));
  assertNone(offences(others, ({ text }) => (/\bprocess\.env\b/.test(text) ? ['reads process.env'] : [])));
});

test('modules keep no state and print nothing', () => {
  assertNone(
    offences(program, ({ text }) => [...text.matchAll(/^(?:export )?(?:let|var) .*/gm)].map(([line]) => line)),
  );
  const silent = program.filter(({ path }) => !childPrograms.has(path) && !path.startsWith('src/cli/'));
  assertNone(offences(silent, ({ text }) => [...text.matchAll(/\bconsole\.\w+\(/g)].map(([call]) => call)));
  const exiting = program.filter(({ path }) => path !== 'src/main.ts' && !childPrograms.has(path));
  assertNone(offences(exiting, ({ text }) => [...text.matchAll(/\bprocess\.exit\(/g)].map(([call]) => call)));
});

test('files are short and named after what they hold', (t) => {
  const lines = ({ text }: SourceFile) => text.split('\n').length - 1;
  assertNone(offences(everything, (file) => (lines(file) > 400 ? [`has ${lines(file)} lines`] : [])));
  for (const file of everything) if (lines(file) > 300) t.diagnostic(`${file.path} has ${lines(file)} lines`);
  assertNone(offences(everything, ({ path }) => (forbiddenNames.test(basename(path)) ? ['names nothing'] : [])));
  const short = program.filter((file) => lines(file) <= 150).length / program.length;
  assert.ok(short >= 0.75, `only ${Math.round(short * 100)} % of the files have at most 150 lines`);
});

test('migrations are numbered without gaps, so that none is missing', () => {
  const names = readdirSync('migrations').sort();
  assert.deepEqual(
    names.map((name) => Number(name.slice(0, 4))),
    names.map((_, index) => index + 1),
  );
});

test('no two tests of a folder promise the same thing', () => {
  const seen = new Map<string, string>();
  assertNone(
    offences(everything, ({ path, text }) =>
      [...text.matchAll(/^\s*(?:await )?(?:t\.)?test\(\s*'((?:[^'\\]|\\.)+)'/gm)].flatMap(([, title = '']) => {
        const other = seen.get(title);
        seen.set(title, path);
        return other === undefined ? [] : [`"${title}" is also in ${other}`];
      }),
    ),
  );
});
