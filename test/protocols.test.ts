import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSources, resolveImport, type SourceFile } from '#test/source-tree.ts';
import { betweenProtocols, inCommon, knowsProtocols, roomsOfProtocols, typesOfProtocols } from './protocol-arrows.ts';

/** Protocols know nothing of engines, credits and limits; what takes a call through those knows no protocol. */
const room = 'src/inference/';
const folder = `${room}protocols/`;
const program = readSources(['src/inference']).filter(({ isTest }) => !isTest);
const protocols = program.filter(({ path }) => path.startsWith(folder) && path !== `${folder}index.ts`);
const lifecycle = program.filter(({ path }) => !path.startsWith(folder));

type Import = { from: string; typesOnly: boolean };

/** What a file imports: rooms and packages as they are written, files by their path in the repository. */
function importsOf({ path, text }: Pick<SourceFile, 'path' | 'text'>): Import[] {
  const statements = text.matchAll(
    /^(?:import|export)\s+(type\s)?[^;]*?\bfrom '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm,
  );
  return [...statements].map(([, type, from, bare, dynamic]) => {
    const specifier = from ?? bare ?? dynamic ?? '';
    return {
      from: specifier.startsWith('.') ? resolveImport(path, specifier) : specifier,
      typesOnly: type !== undefined,
    };
  });
}

/** The folder of a file below `protocols`. */
const protocolOf = (path: string) => path.slice(folder.length).split('/')[0] ?? '';

/** What a file of a protocol imports and must not; what it may goes into `used`. */
function strangersIn(file: Pick<SourceFile, 'path' | 'text'>, used = new Set<string>()): string[] {
  const own = protocolOf(file.path);
  return importsOf(file).flatMap(({ from, typesOnly }) => {
    const told = [`${file.path} imports ${from}${typesOnly ? ' (types)' : ''}`];
    const allowed = (key: string, list: Record<string, string>, isMet = true) => {
      used.add(key);
      return key in list && isMet ? [] : told;
    };
    if (from.startsWith('#')) {
      const name = from.slice(1);
      return name in typesOfProtocols ? allowed(name, typesOfProtocols, typesOnly) : allowed(name, roomsOfProtocols);
    }
    // Packages: types of the web server, schemas, and what signs; nothing that reads files or opens connections.
    if (!from.startsWith('src/')) return typesOnly || from === 'typebox' || from === 'node:crypto' ? [] : told;
    if (!from.startsWith(folder)) return from.startsWith(room) ? allowed(from.slice(room.length), inCommon) : told;
    const other = protocolOf(from);
    return other === own || other === 'shared' ? [] : allowed(`${own} -> ${other}`, betweenProtocols);
  });
}

test('a protocol imports types of the engine, what it has in common with the lifecycle, and nothing of credits, limits or rows', () => {
  const used = new Set<string>();
  assert.deepEqual(
    protocols.flatMap((file) => strangersIn(file, used)),
    [],
  );
  const listed = [roomsOfProtocols, typesOfProtocols, inCommon, betweenProtocols].flatMap(Object.keys);
  assert.deepEqual(
    listed.filter((key) => !used.has(key)),
    [],
    'nobody uses these any more',
  );
});

test('a protocol that reached for what is not its own would be found', () => {
  for (const line of [
    "import { hold } from '#billing';",
    "import type { Charge } from '#billing';",
    "import { takeTurn } from '#limits';",
    "import { once } from '#calls';",
    "import type { Sql } from '#db';",
    "import type { Requests } from '#calls';",
    "import { createEngine } from '#engine';",
    "import { type Engine, createEngine } from '#engine';",
    "export { settle } from '#billing';",
    "import { answerText } from '../../answer-text.ts';",
    "import type { InferenceDeps } from '../../deps.ts';",
    "import { readFileSync } from 'node:fs';",
    "import { messageBody } from '../messages/message-wire.ts';",
    "import { createProtocols } from '../index.ts';",
    "import '../../admission.ts';",
    "const later = () => import('#billing');",
  ])
    assert.equal(strangersIn({ path: `${folder}another/index.ts`, text: `${line}\n` }).length, 1, line);
  for (const line of [
    "import type { Finished } from '#engine';",
    "import { wireId } from '../../collected-answer.ts';",
    "import { said } from '#http';",
    "import { part } from './part.ts';",
  ])
    assert.deepEqual(strangersIn({ path: `${folder}another/index.ts`, text: `${line}\n` }), []);
});

test('what protocols and the lifecycle have in common runs nothing of either', () => {
  const common = lifecycle.filter(({ path }) => path.slice(room.length) in inCommon);
  assert.equal(common.length, Object.keys(inCommon).length);
  const bad = common.flatMap(({ path, ...file }) =>
    importsOf({ path, ...file }).flatMap(({ from, typesOnly }) =>
      typesOnly || from === '#kernel' || from === '#models' ? [] : [`${path} imports ${from}`],
    ),
  );
  assert.deepEqual(bad, []);
});

/** Files of protocols that a file of the lifecycle imports, and words that only one of them says. */
function namesIn(file: Pick<SourceFile, 'path' | 'text'>): string[] {
  const imported = importsOf(file).filter(({ from }) => from.startsWith(folder));
  const code = file.text.replace(/^\s*(?:\/?\*|\/\/).*$/gm, '');
  const said =
    code.match(
      /chat\/completions|anthropic|openai|\[DONE\]|message_stop|'(?:chat|messages|responses|completions|embeddings)\.create'/gi,
    ) ?? [];
  return [
    ...imported.map(({ from }) => `${file.path} imports ${from}`),
    ...said.map((word) => `${file.path} says ${word}`),
  ];
}

test('the lifecycle of calls names no protocol', () => {
  const isListed = ({ path }: SourceFile) => path.slice(room.length) in knowsProtocols;
  assert.deepEqual(
    lifecycle.filter((file) => !isListed(file)).flatMap((file) => namesIn(file)),
    [],
  );
  const listed = lifecycle.filter((file) => isListed(file) && namesIn(file).length > 0);
  assert.equal(listed.length, Object.keys(knowsProtocols).length, 'a file that names none any more is still listed');
  for (const text of [
    "import { chatCall } from './protocols/chat-completions/index.ts';",
    "const end = 'data: [DONE]';",
  ])
    assert.equal(namesIn({ path: `${room}another.ts`, text }).length, 1, text);
});
