import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createWatch } from './watch.ts';

/** A watch over two queues; the database says what a test wants it to. */
function setUp(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const state = {
    due: [] as string[],
    isActive: false,
    isWaiting: false,
    nowMs: 0,
    woken: [] as string[],
    supervised: 0,
    looks: 0,
  };
  const watch = createWatch({
    sql: {
      executeSql: async () => {
        state.looks += 1;
        return { rows: [{ due: state.due, isActive: state.isActive, isWaiting: state.isWaiting }] };
      },
    },
    queues: () => ['one', 'other'],
    wake: (queue) => state.woken.push(queue),
    supervise: async () => {
      state.supervised += 1;
    },
    monotonicMs: () => state.nowMs,
    log: undefined,
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
  return { state, pass };
}

test('the workers of a queue are woken when something may begin there, and no others', async (t) => {
  const { state, pass } = setUp(t);
  await pass(5_000);
  assert.deepEqual(state.woken, []);
  state.due = ['other'];
  await pass(5_000);
  assert.deepEqual(state.woken, ['other']);
});

test('where something waits or runs is looked twice as often as where nothing does', async (t) => {
  const { state, pass } = setUp(t);
  await pass(30_000);
  assert.equal(state.looks, 6);
  state.isWaiting = true;
  await pass(30_000);
  assert.equal(state.looks, 18);
  Object.assign(state, { isWaiting: false, isActive: true });
  await pass(30_000);
  assert.equal(state.looks, 30);
});

test('the queue supervises at every check while anybody works, and once a minute while nobody does', async (t) => {
  const { state, pass } = setUp(t);
  await pass(5_000);
  assert.equal(state.supervised, 1);
  await pass(30_000);
  assert.equal(state.supervised, 1);
  state.isActive = true;
  await pass(10_000);
  assert.equal(state.supervised, 3);
  state.isActive = false;
  await pass(55_000);
  assert.equal(state.supervised, 3);
  await pass(10_000);
  assert.equal(state.supervised, 4);
});
