import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { doctor } from '#billing';
import { openDatabase } from '#db';
import { startApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { callModel, inTurn, type ProtocolRow, streamingRows } from '#test/protocols.ts';
import { seedTenant } from '#test/tenants.ts';
import { openWay, type Way } from '#test/way.ts';
import { createGracefulShutdown } from './graceful-shutdown.ts';

let pg: TestDatabase;
let way: Way;

before(async () => {
  pg = await createTestDatabase();
  way = await openWay(pg.url);
});

beforeEach(() => way.restore());

after(async () => {
  await way?.close();
  await pg?.drop();
});

// However slow this machine is, silence is found only after the 1.5 s for which the tests watch somebody wait.
const times = { pauseMs: 20, answerMs: 1_000, lastAnswerMs: 2_000 };
const shutdown = () => createGracefulShutdown({ url: way.url, log: { warn: () => {} }, times });
/** A part that does not end while this runs. */
const endless = () => new Promise<void>(() => {});

test('who ends waits for a database that is slow, and not for one that says nothing', async () => {
  const one = shutdown();
  one.callsAreOver();
  const waiting = one
    .stopPart(endless)()
    .then(() => 'over');
  assert.equal(await Promise.race([waiting, sleep(1_500, 'waits')]), 'waits');
  way.swallow();
  assert.equal(await waiting, 'over');
  assert.equal(await one.stopPart(endless)(), undefined, 'what comes later is begun and not waited for');
});

test('calls that run to their end are not hurried, and a database that is back by then is waited for', async () => {
  const one = shutdown();
  way.swallow();
  const waiting = one
    .stopPart(endless)()
    .then(() => 'over');
  assert.equal(await Promise.race([waiting, sleep(times.answerMs + 1_500, 'waits')]), 'waits');
  way.restore();
  one.callsAreOver();
  assert.equal(await Promise.race([waiting, sleep(1_500, 'waits')]), 'waits');
  one.end();
});

test('a server ends while its database says nothing, and of what it leaves nothing is paid twice or stays reserved', async () => {
  const database = await openDatabase({ url: way.url, maxConnections: 8 });
  const app = await startApp(database);
  const ada = await seedTenant(pg.database, app.models);
  const call = (row: ProtocolRow, maxTokens: number) =>
    callModel(row, { origin: app.origin, owner: ada.slug, key: ada.key }, { maxTokens, stream: true });
  await (await call(inTurn(streamingRows, 0), 4)).text();
  const running = await Promise.all(streamingRows.map((row) => call(row, 2_000)));
  const read = Promise.all(running.map((response) => response.text().catch(() => 'cut off')));
  way.swallow();
  const stopped = app.stop().then(() => 'ended');
  assert.equal(await Promise.race([stopped, sleep(60_000, 'waits', { ref: false })]), 'ended');
  await read;
  await database.close();

  const next = await startApp(pg.database, { timing: { heartbeatMs: 50, reapMs: 50, deadAfterMs: 500 } });
  const held = () => pg.database.query('select from calls where account_id = $1 and status is null', [ada.accountId]);
  while ((await held()).length > 0) await sleep(50);
  await next.stop();
  assert.deepEqual(await doctor(pg.database), []);
  const charges = await pg.database.query(`select from ledger where account_id = $1 and type = 'inference'`, [
    ada.accountId,
  ]);
  assert.ok(charges.length >= 1 && charges.length <= 1 + running.length);
});
