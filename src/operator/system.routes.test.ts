import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { seedAccount } from '#test/accounts.ts';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { type SignedIn, seedSession } from '#test/sessions.ts';

let db: TestDatabase;
let app: TestApp;
let session: SignedIn;

before(async () => {
  db = await createTestDatabase();
  app = await startApp(db.database, {
    settings: {
      FANFOLD_ENGINE_QUEUE: '77',
      HF_TOKEN: 'hf_very-secret',
      GPU_KEY: 'key-of-the-engine',
      FANFOLD_DRAIN_SECONDS: '7',
    },
  });
  const { accountId } = await seedAccount(db.database);
  await db.database.query(`update accounts set role = 'admin' where id = $1`, [accountId]);
  session = await seedSession(db.database, { accountId });
});

after(async () => {
  await app?.stop();
  await db?.drop();
});

async function ask(method: string, path: string, body?: object) {
  const response = await fetch(`${app.origin}/api/v1/operator/${path}`, {
    method,
    headers: { ...session.headers, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  return { status: response.status, text, body: text === '' ? {} : Object(JSON.parse(text)) };
}

test('settings are shown as they would be written, with their defaults marked and without secrets', async () => {
  const { body, text } = await ask('GET', 'settings');
  const find = (name: string) => body.data.find((each: { name: string }) => each.name === name);
  assert.deepEqual([find('FANFOLD_ENGINE_QUEUE').value, find('FANFOLD_ENGINE_QUEUE').is_default], ['77', false]);
  assert.equal(find('FANFOLD_DRAIN_SECONDS').value, '7');
  assert.deepEqual([find('FANFOLD_SIGNUP').value, find('FANFOLD_SIGNUP').is_default], ['closed', true]);
  assert.equal(find('HF_TOKEN').value, 'set');
  assert.doesNotMatch(text, /very-secret/);
});

test('the check finds a clean installation healthy, and names a balance that is not the sum of its ledger', async () => {
  const clean = await ask('GET', 'health');
  assert.deepEqual([clean.body.healthy, clean.body.problems], [true, []]);
  assert.ok(clean.body.notes.some((note: string) => note.startsWith('database: PostgreSQL')));
  const { accountId } = await seedAccount(db.database);
  await db.database.query('update accounts set balance_micro = 5 where id = $1', [accountId]);
  const { body } = await ask('GET', 'health');
  assert.equal(body.healthy, false);
  assert.match(body.problems.join('\n'), new RegExp(accountId));
  await db.database.query('update accounts set balance_micro = 0 where id = $1', [accountId]);
});

test('the process that answers is among the workers, and background work is counted by its kind', async () => {
  const { body } = await ask('GET', 'workers');
  assert.equal(body.data.length, 1);
  assert.equal(body.data[0].roles, 'serve, worker');
  const jobs = await ask('GET', 'jobs');
  assert.deepEqual(jobs.body.data, []);
  assert.ok(jobs.body.tasks.some(({ name }: { name: string }) => name === 'models.pull'));
});

test('a serving route is added, tested with its key, drained and removed', async () => {
  const keys: (string | undefined)[] = [];
  const engine = createServer((request, response) => {
    keys.push(request.headers.authorization);
    const answer = { choices: [{ message: { role: 'assistant', content: 'Hello!' } }] };
    const body = request.url === '/v1/chat/completions' ? answer : { data: [{ id: 'there' }] };
    request.resume();
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve));
  const address = engine.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const route = { base_model_id: 'qwen3-4b', url: `http://127.0.0.1:${port}/v1/`, api: 'vllm', secret_env: 'GPU_KEY' };
  try {
    const saved = await ask('PUT', 'serving-routes/gpu-1', { ...route, upstream_model: 'there' });
    assert.deepEqual([saved.status, saved.body.url], [200, `http://127.0.0.1:${port}/v1`]);
    assert.equal(saved.body.secret_source, 'env:GPU_KEY');
    const good = await ask('POST', 'serving-routes/gpu-1/test');
    assert.deepEqual([good.body.reachable, good.body.models, good.body.error], [true, ['there'], null]);
    assert.deepEqual([good.body.answer.text, good.body.answer.dimensions], ['Hello!', null]);
    assert.deepEqual(await db.database.query('select from calls'), [], 'nobody is charged');
    assert.ok(keys.every((key) => key === 'Bearer key-of-the-engine'));
    await ask('PUT', 'serving-routes/gpu-1', { ...route, upstream_model: 'elsewhere' });
    assert.match((await ask('POST', 'serving-routes/gpu-1/test')).body.error, /no model elsewhere; it has there/);
    assert.equal((await ask('PATCH', 'serving-routes/gpu-1', { draining: true })).body.draining, true);
  } finally {
    await new Promise((resolve) => engine.close(resolve));
  }
  const lost = await ask('POST', 'serving-routes/gpu-1/test');
  assert.deepEqual([lost.body.reachable, lost.body.status], [false, null]);
  assert.match(lost.body.error, /cannot be reached/);
  assert.equal((await ask('DELETE', 'serving-routes/gpu-1')).status, 204);
  assert.equal((await ask('DELETE', 'serving-routes/gpu-1')).status, 404);
  for (const wrong of [{ base_model_id: 'no-such' }, { url: 'ftp://x' }, { api: 'no-such' }])
    assert.equal((await ask('PUT', 'serving-routes/gpu-2', { ...route, ...wrong })).status, 400);
});
