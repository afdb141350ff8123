import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileDatabase } from '#test/file-database.ts';
import { openWay } from '#test/way.ts';
import { openDatabase } from './database.ts';
import { isUnavailable, sqlState } from './sqlstate.ts';

const database = fileDatabase({ prepare: (made) => made.query('create table places (id int primary key, taken int)') });

const take = (id: number, lockMs?: number) =>
  database().query(
    'update places set taken = taken + 1 where id = any($1::int[])',
    [[id, id + 1]],
    lockMs === undefined ? {} : { name: 'take', lockMs },
  );
const takenAt = (id: number) =>
  database().query<{ taken: number }>('select taken from places where id in ($1, $2) order by id', [id, id + 1]);

test('a statement that waits for a lock for too long is ended, has done nothing, and its connection takes the next', async () => {
  await database().query('insert into places values (1, 0), (2, 0)');
  await database().transaction(async (tx) => {
    await tx.query('select from places where id = 2 for update');
    for (let times = 0; times < 3; times++)
      await assert.rejects(take(1, 30), (error) => sqlState(error) === '57014', String(times));
  });
  assert.deepEqual(await takenAt(1), [{ taken: 0 }, { taken: 0 }]);
  await take(1, 60_000);
  assert.deepEqual(await takenAt(1), [{ taken: 1 }, { taken: 1 }]);
});

test('a statement that takes long without waiting for a lock is left to its end', async () => {
  await database().query('insert into places values (3, 0), (4, 0)');
  await database().query('select pg_sleep(0.3)', [], { name: 'slow', lockMs: 20 });
  await Promise.all(Array.from({ length: 40 }, () => take(3, 60_000)));
  assert.deepEqual(await takenAt(3), [{ taken: 40 }, { taken: 40 }]);
});

test('however often waits are ended and begun again, what is told to have failed did nothing, and the rest happened once', async () => {
  await database().query('insert into places values (5, 0), (6, 0)');
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, async () => {
      let done = 0;
      for (let times = 0; times < 25; times++)
        await take(5, 1).then(
          () => {
            done += 1;
          },
          (error: unknown) => assert.equal(sqlState(error), '57014'),
        );
      return done;
    }),
  );
  const done = outcomes.reduce((sum, each) => sum + each, 0);
  assert.deepEqual(await takenAt(5), [{ taken: done }, { taken: done }]);
});

test('a network that swallows the question whether a statement waits keeps nobody waiting for its answer', async () => {
  const way = await openWay(database().url);
  const away = await openDatabase({ url: way.url, maxConnections: 2, opensAll: true });
  try {
    const begunMs = performance.now();
    const late = assert.rejects(
      away.query('select pg_sleep(60)', [], { name: 'late', lockMs: 300, timeoutMs: 600 }),
      isUnavailable,
    );
    way.swallow();
    await late;
    assert.ok(performance.now() - begunMs < 10_000);
    // Neither connection is used again: nobody knows what is still to come on them.
    way.restore();
    assert.deepEqual(await away.query('select 1 as one'), [{ one: 1 }]);
  } finally {
    await away.close();
    await way.close();
  }
});
