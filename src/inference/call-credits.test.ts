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

test('an account without credits is refused before its prompt is looked at, and leaves nothing behind', async () => {
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

test('a prompt that cannot run is told so also where there are too few credits for it', async () => {
  const ada = await seedTenant(pg.database, app.models);
  await pg.database.query('update accounts set balance_micro = 1 where id = $1', [ada.accountId]);
  for (const [place] of streamingRows.entries()) {
    const row = inTurn(streamingRows, place);
    const caller = { origin: app.origin, owner: ada.slug, key: ada.key };
    const tooLong = await callModel(row, caller, { maxTokens: 4, text: 'word '.repeat(60_000) });
    assert.equal(tooLong.status, 400, await tooLong.text());
    const fits = await callModel(row, caller, { maxTokens: 4 });
    assert.equal(fits.status, 402, await fits.text());
  }
  assert.deepEqual(await pg.database.query('select from calls where account_id = $1', [ada.accountId]), []);
});
