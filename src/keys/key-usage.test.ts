import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Sql } from '#db';
import { seedAccount, seedKey } from '#test/accounts.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { createKeyUsage } from './authenticate.ts';

let db: TestDatabase;
let accountId = '';

before(async () => {
  db = await createTestDatabase();
  ({ accountId } = await seedAccount(db.database));
});

after(() => db.drop());

/** A usage tracker with a clock to turn, and a count of its statements. */
function tracker(startMs = Date.UTC(2026, 0, 1)) {
  const time = { nowMs: startMs };
  const counted = { statements: 0 };
  const sql: Sql = {
    query: (...call) => {
      counted.statements++;
      return db.database.query(...call);
    },
  };
  return {
    time,
    counted,
    usage: createKeyUsage({ sql, clock: { nowMs: () => time.nowMs, monotonicMs: () => time.nowMs } }),
  };
}

async function lastUsedMs(keyId: string): Promise<number | null> {
  const [row] = await db.database.query<{ at: Date | null }>('select last_used_at as at from api_keys where id = $1', [
    keyId,
  ]);
  return row?.at?.getTime() ?? null;
}

test('a first use is stored at the next flush', async () => {
  const { keyId } = await seedKey(db.database, { accountId });
  const { usage, time } = tracker();
  usage.seen(keyId);
  assert.equal(await lastUsedMs(keyId), null);
  await usage.flush();
  assert.equal(await lastUsedMs(keyId), time.nowMs);
});

test('a busy key is written once a minute, and is exact to a minute when it falls silent', async () => {
  const { keyId } = await seedKey(db.database, { accountId });
  const { usage, time, counted } = tracker();
  const startMs = time.nowMs;
  for (let second = 0; second < 200; second++) {
    usage.seen(keyId);
    if (second % 5 === 0) await usage.flush();
    time.nowMs += 1_000;
  }
  assert.equal(counted.statements, 4);
  assert.equal(await lastUsedMs(keyId), startMs + 180_000);
  time.nowMs += 60_000;
  await usage.flush();
  usage.seen(keyId);
  await usage.flush();
  assert.equal(counted.statements, 5);
  assert.equal(await lastUsedMs(keyId), startMs + 260_000);
});

test('hundreds of keys are written in one statement', async () => {
  const keys = await Promise.all(Array.from({ length: 300 }, () => seedKey(db.database, { accountId })));
  const { usage, time, counted } = tracker();
  for (const { keyId } of keys) usage.seen(keyId);
  await usage.flush();
  assert.equal(counted.statements, 1);
  assert.ok((await Promise.all(keys.map(({ keyId }) => lastUsedMs(keyId)))).every((it) => it === time.nowMs));
});

test('time never runs backwards, whichever replica saw the later use', async () => {
  const { keyId } = await seedKey(db.database, { accountId });
  const [ahead, behind] = [tracker(Date.UTC(2026, 0, 2)), tracker(Date.UTC(2026, 0, 1))];
  ahead.usage.seen(keyId);
  await ahead.usage.flush();
  behind.usage.seen(keyId);
  await behind.usage.flush();
  assert.equal(await lastUsedMs(keyId), ahead.time.nowMs);
});

test('a server whose clock was ahead and is set right stores no time to come, and goes on storing', async () => {
  const { keyId } = await seedKey(db.database, { accountId });
  const wall = { aheadMs: 400 * 24 * 3_600_000 };
  const monotonic = { ms: 0 };
  const clock = { nowMs: () => Date.now() + wall.aheadMs, monotonicMs: () => monotonic.ms };
  const usage = createKeyUsage({ sql: db.database, clock });
  const stored = async () => {
    usage.seen(keyId);
    await usage.flush();
    return (await lastUsedMs(keyId)) ?? 0;
  };
  const first = await stored();
  assert.ok(first <= Date.now() + 60_000, 'not in the future');
  wall.aheadMs = 0;
  await db.database.query(`update api_keys set last_used_at = now() - interval '1 hour' where id = $1`, [keyId]);
  monotonic.ms += 60_000;
  assert.ok((await stored()) >= first, 'the next use is told');
  // As one that was stored before this was so.
  await db.database.query(`update api_keys set last_used_at = now() + interval '1 year' where id = $1`, [keyId]);
  monotonic.ms += 60_000;
  assert.ok((await stored()) <= Date.now() + 60_000);
});

test('what could not be written is written later, and stopping writes the rest', async () => {
  const { keyId } = await seedKey(db.database, { accountId });
  let isDown = true;
  const sql: Sql = { query: (...call) => (isDown ? Promise.reject(new Error('down')) : db.database.query(...call)) };
  const usage = createKeyUsage({ sql, clock: { nowMs: () => 1_000, monotonicMs: () => 0 } });
  usage.seen(keyId);
  await assert.rejects(usage.flush());
  await usage.stop();
  assert.equal(await lastUsedMs(keyId), null);
  isDown = false;
  await usage.stop();
  assert.equal(await lastUsedMs(keyId), 1_000);
});

test('replicas that write the same keys at the same time do not deadlock', async () => {
  const keys = await Promise.all(Array.from({ length: 100 }, () => seedKey(db.database, { accountId })));
  for (let round = 0; round < 10; round++) {
    const replicas = Array.from({ length: 4 }, (_, i) => tracker(Date.UTC(2027, 0, 1, round, i)));
    for (const [i, { usage }] of replicas.entries())
      for (const { keyId } of i % 2 === 0 ? keys : keys.toReversed()) usage.seen(keyId);
    await Promise.all(replicas.map(({ usage }) => usage.flush()));
  }
});
