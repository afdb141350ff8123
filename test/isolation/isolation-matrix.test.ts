import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { RegisteredRoute } from '#http';
import { flaws } from './leaks.ts';
import { withLeak } from './leaky-proxy.ts';
import type { Row } from './matrix.ts';
import { tryRow } from './try-row.ts';
import { createWorld, type World } from './world.ts';

let world: World;
let rows: Row[] = [];

before(async () => {
  rows = await readRows();
  world = await createWorld();
});

after(() => world?.stop());

/** The rows of all rooms. */
async function readRows(): Promise<Row[]> {
  const files = globSync('rows/*.ts', { cwd: import.meta.dirname }).sort();
  const rooms = await Promise.all(files.map((file) => import(`./${file}`)));
  // as: every file of rows exports just these.
  return rooms.flatMap((room) => (room as { rows: Row[] }).rows);
}

const routes = () => world.app.server.routeTable.rows.filter(({ method }) => method !== 'HEAD');

const isOf = ({ operation, route }: Row, { method, path, ...its }: RegisteredRoute) =>
  operation === its.operation && (route?.method ?? method) === method && (route?.path ?? path) === path;

const nameOf = ({ method, path, operation }: RegisteredRoute) => `${method} ${path} (${operation})`;

test('every route has one row, and every row a route', () => {
  const rowsOf = (route: RegisteredRoute) => rows.filter((row) => isOf(row, route));
  assert.deepEqual(
    routes()
      .filter((route) => rowsOf(route).length === 0)
      .map(nameOf),
    [],
    'routes without a row',
  );
  assert.deepEqual(
    routes()
      .filter((route) => rowsOf(route).length > 1)
      .map(nameOf),
    [],
    'routes with several rows',
  );
  const idle = rows.filter((row) => !routes().some((route) => isOf(row, route)));
  assert.deepEqual(
    idle.map(({ operation }) => operation),
    [],
    'rows without a route',
  );
});

test('every caller gets of every route what the matrix says, and nothing of what is not his', async (t) => {
  let answers = 0;
  for (const route of routes()) {
    const row = rows.find((each) => isOf(each, route));
    if (!row) continue;
    await t.test(nameOf(route), async () => {
      const verdict = await tryRow(world, row, route);
      answers += verdict.answers;
      assert.ok(verdict.wrong.length === 0, `\n${verdict.wrong.join('\n')}`);
    });
  }
  t.diagnostic(`${routes().length} routes, ${answers} answers compared`);
});

test('the matrix notices each kind of leak', async (t) => {
  for (const { name, operation, leak, complaint } of flaws)
    await t.test(name, async () => {
      const route = routes().find((each) => each.operation === operation);
      const row = route && rows.find((each) => isOf(each, route));
      assert.ok(route && row, `${operation} is no operation with a row`);
      const { wrong } = await withLeak(world, leak, (leaky) => tryRow(leaky, row, route));
      assert.match(wrong.join('\n'), complaint);
    });
});
