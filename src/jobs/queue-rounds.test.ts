import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase } from '#test/database.ts';
import { createJobs } from './jobs.ts';
import { nextQueueRound } from './queue.store.ts';
import { defineTask } from './task.ts';

const work = defineTask<{ text: string }>('test.rounds', { retries: 1 });

/** A queue of one worker that says what it does, and ends each piece of work when it is told to. */
async function openQueue(t: { after: (end: () => Promise<void>) => void }) {
  const db = await createTestDatabase();
  const jobs = createJobs({ url: db.url });
  const begun: string[] = [];
  const failing = new Set<string>();
  let end = Promise.withResolvers<void>();
  jobs.handle(work, async ({ text }) => {
    begun.push(text);
    await end.promise;
    if (failing.delete(text)) throw new Error('It fails once.');
  });
  t.after(async () => {
    end.resolve();
    await jobs.stop(1_000);
    await db.drop();
  });
  await jobs.start();
  const until = async (count: number) => {
    for (const deadline = performance.now() + 120_000; begun.length < count; ) {
      assert.ok(performance.now() < deadline, JSON.stringify(begun));
      await sleep(10);
    }
  };
  return {
    sql: db.database,
    begun,
    failing,
    until,
    /** The first letter says whose it is. */
    ask: async (...texts: string[]) => {
      for (const text of texts) await jobs.enqueue(db.database, work, { text }, { accountId: text.slice(0, 1) });
    },
    endOne: async () => {
      const ended = end;
      end = Promise.withResolvers();
      ended.resolve();
      await until(begun.length + 1);
    },
    endAll: () => end.resolve(),
  };
}

test('who asks for one piece of work does not wait for all that somebody else has asked for', async (t) => {
  const { ask, begun, until, endAll } = await openQueue(t);
  await ask('a1');
  await until(1);
  await ask('a2', 'a3', 'a4', 'b1', 'c1', 'b2');
  endAll();
  await until(7);
  assert.deepEqual(begun, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
});

test('who comes after a long while has one start per round like everybody else, and nothing to make up for', async (t) => {
  const { ask, begun, until, endOne, endAll } = await openQueue(t);
  await ask('a1', 'a2', 'a3', 'a4', 'a5', 'a6');
  await until(1);
  for (let ended = 0; ended < 3; ended++) await endOne();
  assert.equal(begun.at(-1), 'a4');
  await ask('b1', 'b2', 'b3', 'b4');
  endAll();
  await until(10);
  assert.deepEqual(begun.slice(4), ['a5', 'b1', 'a6', 'b2', 'b3', 'b4']);
});

test('work that is tried again keeps its round and its count of attempts', async (t) => {
  const { ask, begun, until, failing, endAll, sql } = await openQueue(t);
  failing.add('a1');
  await ask('a1');
  await until(1);
  await ask('b1', 'b2');
  endAll();
  await until(4);
  assert.equal(begun.filter((text) => text === 'a1').length, 2);
  const rows = await sql.query<{ round: number; tries: number }>(
    `select -priority as round, retry_count as tries from fanfold_jobs.job where data->>'text' = 'a1'`,
  );
  assert.deepEqual(rows, [{ round: 1, tries: 1 }]);
});

test('rounds begin anew once nothing waits, so they stay small', async (t) => {
  const { ask, until, endAll, sql } = await openQueue(t);
  await ask('a1', 'a2', 'a3');
  await until(1);
  assert.equal(await nextQueueRound(sql, { queue: work.name, accountId: 'a' }), 4);
  assert.equal(await nextQueueRound(sql, { queue: work.name, accountId: 'b' }), 2);
  endAll();
  await until(3);
  const round = () => nextQueueRound(sql, { queue: work.name, accountId: 'a' });
  for (const deadline = performance.now() + 120_000; (await round()) !== 1; await sleep(20))
    assert.ok(performance.now() < deadline);
});

test('a round counts what waits and runs in its own queue only, and comes after the latest that has begun', async (t) => {
  const db = await createTestDatabase();
  const sender = createJobs({ url: db.url, works: false });
  t.after(async () => {
    await sender.stop(0);
    await db.drop();
  });
  const other = defineTask<{ text: string }>('test.other_turns');
  for (const task of [work, other]) sender.handle(task, async () => {});
  await sender.start();
  const ask = async (task: typeof work, ...texts: string[]) => {
    for (const text of texts) await sender.enqueue(db.database, task, { text }, { accountId: text.slice(0, 1) });
  };
  const become = (state: string, ...texts: string[]) =>
    db.database.query(
      `update fanfold_jobs.job set state = $1::fanfold_jobs.job_state where data->>'text' = any($2::text[])`,
      [state, texts],
    );
  const roundOf = (who: string) => nextQueueRound(db.database, { queue: work.name, accountId: who });

  await ask(work, 'a1', 'a2', 'b1');
  await ask(other, 'c1', 'c2', 'c3', 'c4', 'c5');
  assert.deepEqual([await roundOf('a'), await roundOf('b'), await roundOf('c')], [3, 2, 1]);
  await become('completed', 'a1', 'b1');
  assert.equal(await roundOf('c'), 2, 'the round of what waits, as nothing runs');
  await become('active', 'c5');
  assert.equal(await roundOf('c'), 2, 'what runs in another queue');
  await ask(work, 'a3');
  await become('active', 'a2', 'a3');
  assert.equal(await roundOf('c'), 4, 'after the latest that has begun');
});
