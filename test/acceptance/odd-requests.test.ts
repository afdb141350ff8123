import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bearer, seedAccount, seedKey, seedProject } from '#test/accounts.ts';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';

/** Requests that few clients send and that are allowed all the same. */
let database: TestDatabase;
let app: TestApp;
let owner: { slug: string; key: string; text: string; embedding: string };

before(async () => {
  database = await createTestDatabase();
  app = await startApp(database.database);
  const { accountId, slug } = await seedAccount(database.database);
  const [text, embedding] = [
    await seedProject(database.database, { accountId }),
    await seedProject(database.database, { accountId, kind: 'embedding' }),
  ];
  const { key } = await seedKey(database.database, { accountId });
  owner = { slug, key, text: text.slug, embedding: embedding.slug };
});

after(async () => {
  await app?.stop();
  await database?.drop();
});

type Asked = { body?: unknown; headers?: Record<string, string> };

function ask(method: string, path: string, { body, headers = {} }: Asked = {}): Promise<Response> {
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  return fetch(app.origin + path, { method, headers: { ...bearer(owner.key), ...type, ...headers }, ...content });
}

test('embeddings name the fields that had no effect under /api/v1, and not where clients of OpenAI call', async () => {
  const body = { model: 'nobody', input: 'lamp', user: 'u', colour: 'red' };
  const [native, compatible] = [
    await ask('POST', `/api/v1/projects/${owner.slug}/${owner.embedding}/embeddings`, { body }),
    await ask('POST', `/api/projects/${owner.slug}/${owner.embedding}/openai/v1/embeddings`, { body }),
  ];
  assert.deepEqual([native.status, compatible.status], [404, 404]);
  assert.equal(native.headers.get('x-fnf-ignored-fields'), 'user, colour');
  assert.equal(compatible.headers.get('x-fnf-ignored-fields'), null);
});
