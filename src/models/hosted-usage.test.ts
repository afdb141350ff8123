import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Sql } from '#db';
import { newId } from '#kernel';
import { seedAccount, seedProject } from '#test/accounts.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { openShippedModels } from '#test/shipped-models.ts';
import { insertHostedModel } from './hosted-alias.ts';
import { createModelUsage } from './hosted-usage.ts';

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase();
});
after(() => db.drop());

/** An alias with a share. */
async function seed() {
  const { database } = db;
  const [owner, guest] = [await seedAccount(database), await seedAccount(database)];
  const { projectId } = await seedProject(database, { accountId: owner.accountId });
  const baseModel = openShippedModels().find('fanfold-tiny-chat') ?? assert.fail();
  const { id } = await insertHostedModel(database, { projectId, alias: 'one', baseModel, active: true });
  const shareId = newId('shr');
  await database.query(
    'insert into model_shares (id, hosted_model_id, project_id, account_id) values ($1, $2, $3, $4)',
    [shareId, id, projectId, guest.accountId],
  );
  return { id, shareId };
}

/** A tracker with a clock to turn, and a count of its statements. */
function tracker(startMs = Date.UTC(2026, 0, 1)) {
  const time = { nowMs: startMs };
  const counted = { statements: 0, broken: false };
  const sql: Sql = {
    query: (...call) => {
      counted.statements++;
      if (counted.broken) throw new Error('The database is away.');
      return db.database.query(...call);
    },
  };
  return {
    time,
    counted,
    usage: createModelUsage({ sql, clock: { nowMs: () => time.nowMs, monotonicMs: () => time.nowMs } }),
  };
}

async function lastMs({ id, shareId }: { id: string; shareId: string }) {
  const [row] = await db.database.query<{ called: Date | null; used: Date | null }>(
    `select h.last_called_at as called, s.last_used_at as used
       from hosted_models h join model_shares s on s.hosted_model_id = h.id where h.id = $1 and s.id = $2`,
    [id, shareId],
  );
  return [row?.called?.getTime() ?? null, row?.used?.getTime() ?? null];
}

test('calls of an alias and uses of a share are stored once a minute, in two statements for all of them', async () => {
  const [one, two] = [await seed(), await seed()];
  const { usage, time, counted } = tracker();
  const startMs = time.nowMs;
  usage.aliases.seen(one.id);
  usage.aliases.seen(two.id);
  usage.shares.seen(two.shareId);
  assert.deepEqual(await lastMs(two), [null, null]);
  await usage.flush();
  assert.equal(counted.statements, 2);
  assert.deepEqual(await lastMs(one), [startMs, null]);
  assert.deepEqual(await lastMs(two), [startMs, startMs]);
  for (let second = 1; second < 60; second++) {
    time.nowMs += 1_000;
    usage.aliases.seen(two.id);
    usage.shares.seen(two.shareId);
    await usage.flush();
  }
  assert.equal(counted.statements, 2);
  time.nowMs += 1_000;
  usage.aliases.seen(two.id);
  await usage.flush();
  assert.equal(counted.statements, 3);
  assert.deepEqual(await lastMs(two), [startMs + 60_000, startMs]);
});

test('a database that is away loses no use, and the end writes what is due', async () => {
  const one = await seed();
  const { usage, time, counted } = tracker();
  counted.broken = true;
  usage.aliases.seen(one.id);
  usage.shares.seen(one.shareId);
  await assert.rejects(usage.flush());
  counted.broken = false;
  await usage.stop();
  assert.deepEqual(await lastMs(one), [time.nowMs, time.nowMs]);
});

test('time never runs backwards, whichever replica saw the later call', async () => {
  const one = await seed();
  const [ahead, behind] = [tracker(Date.UTC(2026, 0, 2)), tracker(Date.UTC(2026, 0, 1))];
  for (const { usage } of [ahead, behind]) {
    usage.aliases.seen(one.id);
    usage.shares.seen(one.shareId);
    await usage.flush();
  }
  assert.deepEqual(await lastMs(one), [ahead.time.nowMs, ahead.time.nowMs]);
});
