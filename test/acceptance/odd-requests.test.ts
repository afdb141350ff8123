import assert from 'node:assert/strict';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
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

/** Sends a body in chunks, as gateways do that do not know its length. */
function sendInChunks(path: string, chunks: readonly string[], headers: Record<string, string>) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: unknown }>();
  const sent = request(app.origin + path, {
    method: 'POST',
    headers: { ...bearer(owner.key), 'transfer-encoding': 'chunked', ...headers },
  });
  sent.on('error', reject).on('response', (answer) => {
    json(answer).then((body) => resolve({ status: answer.statusCode ?? 0, body }), reject);
  });
  for (const chunk of chunks) sent.write(chunk);
  sent.end();
  return promise;
}

test('a body in chunks that turns out to be empty is none, whatever type is named for it', async () => {
  const path = '/api/v1/keys';
  const call = `/api/projects/${owner.slug}/${owner.text}/openai/v1/chat/completions`;
  const types = ['text/plain', 'application/x-www-form-urlencoded', 'application/json'];
  for (const headers of [{}, ...types.map((type) => ({ 'content-type': type }))]) {
    assert.equal((await sendInChunks(path, [], headers)).status, 201, JSON.stringify(headers));
    const { status, body } = await sendInChunks(call, [], headers);
    assert.deepEqual([status, Object(body).error.message], [400, 'The request has no body.']);
  }
  for (const headers of [{}, { 'content-type': 'text/plain' }])
    assert.equal((await sendInChunks(path, ['{"name":', '"a"}'], headers)).status, 415, JSON.stringify(headers));
});

test('a compressed body is refused in words that fit uploads, too', async () => {
  const answer = await ask('PUT', `/api/v1/projects/${owner.slug}/${owner.text}/imports/imp_x/content`, {
    body: {},
    headers: { 'content-encoding': 'gzip' },
  });
  const { error } = (await answer.json()) as { error: { code: string; message: string } };
  assert.deepEqual([answer.status, error.code], [415, 'unsupported_media_type']);
  assert.match(error.message, /without compression/);
});
