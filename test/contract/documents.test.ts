import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { createSchemaChecks, pointed, pointerOf } from '#test/openapi-checks.ts';
import { pythonProgram } from '#test/python.ts';
import { root } from '#test/source-tree.ts';
import type { OpenApiDocument } from '../../src/http/openapi/model.ts';
import { writeApiTypes } from '../../web/tools/api-types.ts';
import { publishedFiles } from './published-files.ts';

/** The documents that are published about the routes of the program. */
let database: TestDatabase;
let app: TestApp;
let files: Map<string, string>;

before(async () => {
  database = await createTestDatabase();
  app = await startApp(database.database);
  files = publishedFiles(app.server.routeTable.rows);
});

after(async () => {
  await app?.stop();
  await database?.drop();
});

const textOf = (path: string): string => files.get(path) ?? assert.fail(`There is no ${path}.`);
const documentAt = (path: string): OpenApiDocument => JSON.parse(textOf(path));
const operationFiles = () => [...files.keys()].filter((path) => /^operations\/(?!index)/.test(path));

test('docs/openapi holds what the program publishes; `npm run openapi` writes it', () => {
  const folder = join(root, 'docs/openapi');
  const kept = globSync('**/*.{json,yaml}', { cwd: folder }).toSorted();
  assert.deepEqual(kept, [...files.keys()].toSorted());
  for (const [path, text] of files) assert.ok(readFileSync(join(folder, path), 'utf8') === text, `${path} is stale`);
});

test('the web app is checked against the contract as it is; `npm run openapi` writes its types', () => {
  const kept = readFileSync(join(root, 'web/src/api/generated/contract.ts'), 'utf8');
  assert.ok(
    kept === writeApiTypes(JSON.parse(textOf('openapi.en.json'))),
    'web/src/api/generated/contract.ts is stale',
  );
});

/** One operation of each group, as the others are made of the same pieces; the Chinese document differs in texts alone, as is shown below. */
const validated = () => [
  'openapi.en.json',
  ...Map.groupBy(operationFiles(), (path) => path.split('.')[0])
    .values()
    .map(([first = '']) => first),
];

test('an independent validator accepts the documents', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fanfold-openapi-'));
  try {
    const paths = validated();
    const written = paths.map((path) => join(folder, path.replace('/', '-')));
    await Promise.all(paths.map((path, at) => writeFile(written[at] ?? '', textOf(path))));
    const validate = join(import.meta.dirname, 'validate.py');
    const python = await pythonProgram('python');
    const { stdout } = await promisify(execFile)(python, [validate, ...written], { timeout: 120_000 });
    assert.equal(stdout, '');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('both languages say the same about the same things', () => {
  const bare = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(bare);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key, item]) => !(typeof item === 'string' && /^(description|summary|title|x-displayName)$/.test(key)))
        .map(([key, item]) => [key, bare(item)]),
    );
  };
  assert.deepEqual(bare(documentAt('openapi.zh.json')), bare(documentAt('openapi.en.json')));
  assert.ok(!textOf('openapi.en.json').includes('x-zh') && !textOf('openapi.zh.json').includes('x-zh'));
  assert.ok(!/\p{Script=Han}/u.test(textOf('openapi.en.json').replaceAll('简体中文', '')));
});

test('YAML and JSON hold the same document', () => {
  for (const language of ['en', 'zh'])
    assert.deepEqual(parse(textOf(`openapi.${language}.yaml`)), documentAt(`openapi.${language}.json`));
});

test('the document of an operation stands alone and says what the whole document says', () => {
  const whole = documentAt('openapi.en.json');
  for (const path of operationFiles()) {
    const alone = documentAt(path);
    const [address = '', methods = {}] = Object.entries(alone.paths)[0] ?? [];
    const [method = ''] = Object.keys(methods);
    assert.deepEqual(alone.paths[address]?.[method], whole.paths[address]?.[method], path);
    for (const [, ref = ''] of textOf(path).matchAll(/"\$ref": "([^"]+)"/g))
      assert.deepEqual(pointed(alone, ref), pointed(whole, ref) ?? assert.fail(ref), `${path} ${ref}`);
  }
});

const linesOf = (text: string): unknown[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

test('every example fits its schema', () => {
  const document = documentAt('openapi.en.json');
  const checks = createSchemaChecks(document);
  const wrong: string[] = [];
  let checked = 0;
  const visit = (value: unknown, steps: readonly string[]): void => {
    if (typeof value !== 'object' || value === null) return;
    const { schema, example, examples } = Object(value);
    if (schema !== undefined && !steps.includes('text/event-stream')) {
      const whole = [
        ...(example === undefined ? [] : [example]),
        ...Object.values(examples ?? {}).map((each) => Object(each).value),
      ];
      // The schema of a file of JSON lines is that of a line, unless it is a text.
      const ofLines = steps.includes('application/x-ndjson') && Object(schema).type !== 'string';
      const given = ofLines ? whole.flatMap((text) => linesOf(String(text))) : whole;
      for (const each of given) {
        checked++;
        wrong.push(
          ...checks.wrongWith(pointerOf(...steps, 'schema'), each).map((problem) => `${steps.join(' ')}: ${problem}`),
        );
      }
    }
    for (const [key, item] of Object.entries(value)) if (!/^examples?$/.test(key)) visit(item, [...steps, key]);
  };
  visit(document, []);
  assert.deepEqual(wrong, []);
  assert.ok(checked > 50);
});

test('what an operation demands as a credential is declared', () => {
  const document = documentAt('openapi.en.json');
  const declared = Object.keys(document.components.securitySchemes ?? {});
  for (const methods of Object.values(document.paths))
    for (const { operationId, security } of Object.values(methods))
      for (const name of security.flatMap(Object.keys)) assert.ok(declared.includes(name), `${operationId} ${name}`);
});
