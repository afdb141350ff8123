import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { readSources, roomOf } from '#test/source-tree.ts';
import { publishedRows } from '../../src/http/openapi/document.ts';
import { faultsOf } from '../../src/http/openapi/route-faults.ts';

/** What a room throws, some operation that reaches the room must tell. */
let database: TestDatabase;
let app: TestApp;

before(async () => {
  database = await createTestDatabase();
  app = await startApp(database.database);
});

after(async () => {
  await app?.stop();
  await database?.drop();
});

const program = readSources(['src']).filter(({ isTest }) => !isTest);

/** Rooms by the rooms that they import, through any number of others. */
function reachOf(): Map<string, Set<string>> {
  const direct = new Map<string, Set<string>>();
  for (const { path, imports } of program) {
    const targets = imports.flatMap((specifier) => /^#([a-z]+)$/.exec(specifier)?.[1] ?? []);
    direct.set(roomOf(path), new Set([...(direct.get(roomOf(path)) ?? []), ...targets]));
  }
  const reach = (room: string, seen: Set<string>): Set<string> => {
    if (seen.has(room)) return seen;
    seen.add(room);
    for (const target of direct.get(room) ?? []) reach(target, seen);
    return seen;
  };
  return new Map([...direct.keys()].map((room) => [room, reach(room, new Set())]));
}

/** The room whose routes file names the operation. */
function roomOfOperation(operation: string): string | undefined {
  const [noun = ''] = operation.split('.');
  const routes = program.filter(({ path }) => /(?:\.routes|\/protocols\/[a-z-]+\/index)\.ts$/.test(path));
  const named = routes.find(({ text }) => text.includes(`'${operation}'`));
  const near = routes.find(({ text }) => text.includes(`\`${noun}.$`));
  const found = named ?? near;
  return found && roomOf(found.path);
}

test('every fault that a room throws is told by an operation that reaches the room', () => {
  const reach = reachOf();
  const told = new Map<string, Set<string>>();
  for (const row of publishedRows(app.server.routeTable.rows)) {
    const room = roomOfOperation(row.operation) ?? assert.fail(`The routes file of ${row.operation} was not found.`);
    for (const each of reach.get(room) ?? []) told.set(each, new Set([...(told.get(each) ?? []), ...faultsOf(row)]));
  }
  // The server's own answers to what no route takes, and the command line, are no operation.
  const thrown = program
    .filter(({ path }) => !/^src\/(http|kernel|cli)\//.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/\bfault\('([a-z_]+)'/g)].map(([, name = '']) => ({ room: roomOf(path), name })),
    );
  assert.ok(thrown.length > 50);
  // A room that no operation reaches yet throws at nobody.
  const untold = thrown.filter(({ room, name }) => told.has(room) && !told.get(room)?.has(name));
  assert.deepEqual([...new Set(untold.map(({ room, name }) => `${room}: ${name}`))], []);
});
