import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Contract, createPublication, type RegisteredRoute } from '#http';
import { faultRows } from '#kernel';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { faultTexts } from '../../src/http/openapi/fault-texts.ts';
import { tags } from '../../src/http/openapi/tags.ts';

/** Nothing that the program answers is missing from the published contract. */
let database: TestDatabase;
let app: TestApp;
let rows: readonly RegisteredRoute[];

/** Routes that are no part of the API: for operators and the payment provider, and pages for people. */
const unpublished = /^(health\.|reference\.|checkouts\.webhook$)/;

before(async () => {
  database = await createTestDatabase();
  app = await startApp(database.database);
  rows = app.server.routeTable.rows.filter(({ method }) => method !== 'HEAD');
});

after(async () => {
  await app?.stop();
  await database?.drop();
});

const contracts = (): { operation: string; contract: Contract; row: RegisteredRoute }[] =>
  rows.flatMap((row) => (row.contract ? [{ operation: row.operation, contract: row.contract, row }] : []));

test('every route of the API has a contract, and nothing else has one', () => {
  const lacking = rows.filter(({ contract, operation }) => (contract === null) !== unpublished.test(operation));
  assert.deepEqual(
    lacking.map(({ operation }) => operation),
    [],
  );
});

test('the index of operations holds exactly the routes that have a contract, each once', () => {
  const index: { operations: { operation_id: string; method: string; path: string }[] } = JSON.parse(
    createPublication(app.server.routeTable.rows).index('en').text,
  );
  const indexed = index.operations.map((entry) => `${entry.operation_id} ${entry.method} ${entry.path}`);
  const snake = (path: string) =>
    path.replace(/:([A-Za-z]+)/g, (_, name: string) => `{${name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)}}`);
  assert.deepEqual(
    indexed.toSorted(),
    contracts()
      .map(({ operation, row }) => `${operation} ${row.method} ${snake(row.path)}`)
      .toSorted(),
  );
  const ids = index.operations.map((entry) => entry.operation_id);
  assert.deepEqual(
    ids.filter((id, at) => ids.indexOf(id) !== at),
    [],
  );
  for (const id of ids) assert.match(id, /^[a-z_]+\.[a-z_]+$/);
});

test('every field of a request and of an answer is described', () => {
  const document = createPublication(app.server.routeTable.rows).document('en');
  const bare: string[] = [];
  const visit = (value: unknown, place: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const properties: unknown = Reflect.get(value, 'properties');
    for (const [name, field] of Object.entries(properties ?? {}))
      if (!('description' in Object(field)) && !('$ref' in Object(field)) && !/[Ee]rror/.test(place))
        bare.push(`${place}.${name}`);
    for (const [key, item] of Object.entries(value))
      if (key !== 'example' && key !== 'examples') visit(item, `${place}.${key}`);
  };
  visit({ paths: document.paths, schemas: document.components.schemas }, '');
  const parameters = Object.entries(document.components.parameters ?? {});
  bare.push(...parameters.filter(([, { description }]) => !description).map(([name]) => `parameter ${name}`));
  assert.deepEqual(bare, []);
});

test('every group has its title, and every title a group', () => {
  const used = new Set(contracts().map(({ contract }) => contract.tag));
  assert.deepEqual([...used].toSorted(), tags.map(({ name }) => name).toSorted());
});

test('every fault of the catalogue is explained, and nothing else', () => {
  assert.deepEqual(Object.keys(faultTexts).toSorted(), Object.keys(faultRows).toSorted());
});

test('every JSON body and every answer with a body has an example', () => {
  const without = contracts().flatMap(({ operation, contract, row }) => [
    ...((contract.body ?? row.schema.body) &&
    !contract.bodyType &&
    contract.bodyExample === undefined &&
    !contract.bodyExamples?.length
      ? [`${operation} body`]
      : []),
    ...Object.entries(contract.answers)
      .filter(([, { schema, example }]) => schema !== undefined && example === undefined)
      .map(([status]) => `${operation} ${status}`),
  ]);
  assert.deepEqual(without, []);
});
