import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bearer, seedAccount, seedKey, seedProject } from '#test/accounts.ts';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';

let db: TestDatabase;
let app: TestApp;

before(async () => {
  db = await createTestDatabase();
  app = await startApp(db.database);
});

after(async () => {
  await app?.stop();
  await db?.drop();
});

test('the dashboard knows of datasets and of imports that wait or failed, of its own account only', async () => {
  const [mine, other] = [await someone(), await someone()];
  assert.deepEqual(await mine.dashboard(), { dataset: false, waiting: 0, failed: 0 });
  await mine.ask('POST', `/projects/${mine.path}/datasets`, { name: 'Tickets' });
  const upload = await mine.ask('POST', `/projects/${mine.path}/imports`, {
    dataset_name: 'From a file',
    file_name: 'tickets.jsonl',
    size_bytes: 12,
  });
  assert.deepEqual(await mine.dashboard(), { dataset: true, waiting: 0, failed: 0 });
  const { id } = upload.import;
  await db.database.query(
    `update imports set state = 'ready', sha256 = repeat('0', 64), expires_at = now() + interval '1 day' where id = $1`,
    [id],
  );
  assert.deepEqual(await mine.dashboard(), { dataset: true, waiting: 1, failed: 0 });
  await db.database.query(`update imports set state = 'failed', finished_at = now() where id = $1`, [id]);
  assert.deepEqual(await mine.dashboard(), { dataset: true, waiting: 0, failed: 1 });
  assert.deepEqual(await other.dashboard(), { dataset: false, waiting: 0, failed: 0 });
});

async function someone() {
  const { accountId, slug } = await seedAccount(db.database);
  const { key } = await seedKey(db.database, { accountId });
  const project = await seedProject(db.database, { accountId });
  const ask = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${app.origin}/api/v1${path}`, {
      method,
      headers: { ...bearer(key), 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    assert.ok(response.ok, text);
    return JSON.parse(text);
  };
  const dashboard = async () => {
    const { getting_started, imports } = await ask('GET', '/dashboard');
    return {
      dataset: getting_started.dataset,
      waiting: imports.awaiting_confirmation,
      failed: imports.failed_window,
    };
  };
  return { path: `${slug}/${project.slug}`, ask, dashboard };
}
