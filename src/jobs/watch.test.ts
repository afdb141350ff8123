import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Sql } from '#db';
import { createWatch } from './watch.ts';

/** A watch over two queues; a test says what there is to be seen. */
function setUp(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const sight = { due: [] as string[], isActive: false };
  const state = { isReachable: true, nowMs: 0, woken: [] as string[], supervised: 0, noted: 0 };
  const sql: Sql = {
    query: async () => {
      if (!state.isReachable) throw new Error('The database is away.');
      return [sight] as never[];
    },
  };
  const watch = createWatch({
    sql,
    queues: ['one', 'other'],
    log: undefined,
    wake: (queue) => state.woken.push(queue),
    supervise: async () => {
      state.supervised += 1;
    },
    note: async () => {
      state.noted += 1;
    },
    monotonicMs: () => state.nowMs,
  });
  watch.start();
  t.after(() => watch.stop());
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 500) {
      state.nowMs += 500;
      t.mock.timers.tick(500);
      await nextTurn();
    }
  };
  return { sight, state, pass };
}

test('the workers of a queue are woken when something may begin there, and no others', async (t) => {
  const { sight, state, pass } = setUp(t);
  await pass(6_000);
  assert.deepEqual(state.woken, []);
  sight.due = ['other'];
  await pass(2_000);
  assert.deepEqual(state.woken, ['other']);
});

test('after an outage of the database the next look wakes the workers', async (t) => {
  const { sight, state, pass } = setUp(t);
  sight.due = ['one'];
  state.isReachable = false;
  await pass(6_000);
  assert.deepEqual(state.woken, []);
  state.isReachable = true;
  await pass(2_000);
  assert.deepEqual(state.woken, ['one']);
});

test('the queue supervises every few seconds while anybody works, and every ten minutes while nobody does', async (t) => {
  const { sight, state, pass } = setUp(t);
  await pass(2_000);
  assert.equal(state.supervised, 1);
  await pass(120_000);
  assert.equal(state.supervised, 1);
  sight.isActive = true;
  await pass(12_000);
  assert.equal(state.supervised, 4);
  sight.isActive = false;
  await pass(590_000);
  assert.equal(state.supervised, 4);
  await pass(10_000);
  assert.equal(state.supervised, 5);
});

test('others can see that somebody works on the queues, by a note every ten seconds at the latest', async (t) => {
  const { sight, state, pass } = setUp(t);
  await pass(2_000);
  assert.equal(state.noted, 0, 'supervising notes it');
  await pass(60_000);
  assert.equal(state.noted, 6);
  sight.isActive = true;
  await pass(60_000);
  assert.equal(state.noted, 6);
});
