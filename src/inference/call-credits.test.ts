import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { callModel, inTurn, streamingRows } from '#test/protocols.ts';
import { seedTenant } from '#test/tenants.ts';

let pg: TestDatabase;
let app: TestApp;

before(async () => {
  pg = await createTestDatabase();
  app = await startApp(pg.database);
});

after(async () => {
  await app?.stop();
  await pg?.drop();
});

test('an account that cannot pay is refused before its prompt is looked at, and leaves nothing behind', async () => {
  const ada = await seedTenant(pg.database, app.models);
  await pg.database.query('update accounts set balance_micro = 0 where id = $1', [ada.accountId]);
  for (const [place] of streamingRows.entries()) {
    const row = inTurn(streamingRows, place);
    const caller = { origin: app.origin, owner: ada.slug, key: ada.key };
    const response = await callModel(row, caller, { maxTokens: 1_000_000 });
    assert.equal(response.status, 402, await response.text());
  }
  assert.deepEqual(await pg.database.query('select from calls where account_id = $1', [ada.accountId]), []);
});
