import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createIntervalTask } from './interval-task.ts';

/** A run every second, each of which lasts until it is settled. */
function setUp(t: TestContext, first: 'at once' | 'after a pause' = 'after a pause') {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const ends: PromiseWithResolvers<void>[] = [];
  const errors: unknown[] = [];
  const task = createIntervalTask({
    pauseMs: 1_000,
    first,
    work: () => {
      const end = Promise.withResolvers<void>();
      ends.push(end);
      return end.promise;
    },
    onError: (error) => errors.push(error),
  });
  const pass = async (ms: number) => {
    t.mock.timers.tick(ms);
    await nextTurn();
  };
  return { task, ends, errors, pass };
}

test('a run that takes long is alone, and the next one comes a pause after its end', async (t) => {
  const { task, ends, pass } = setUp(t);
  task.start();
  task.start();
  assert.equal(ends.length, 0);
  await pass(1_000);
  await pass(5_000);
  assert.equal(ends.length, 1);
  ends[0]?.resolve();
  await pass(0);
  await pass(999);
  assert.equal(ends.length, 1);
  await pass(1);
  assert.equal(ends.length, 2);
});

test('the error of a run is reported, and the next one comes nevertheless', async (t) => {
  const { task, ends, errors, pass } = setUp(t, 'at once');
  task.start();
  const error = new Error('The database is away.');
  ends[0]?.reject(error);
  await pass(0);
  await pass(1_000);
  assert.deepEqual([ends.length, errors], [2, [error]]);
});

test('stopping waits for the run in flight, and no other begins', async (t) => {
  const { task, ends, pass } = setUp(t, 'at once');
  task.start();
  let isStopped = false;
  const stopped = task.stop().then(() => {
    isStopped = true;
  });
  await pass(5_000);
  assert.equal(isStopped, false);
  ends[0]?.resolve();
  await stopped;
  await pass(5_000);
  assert.equal(ends.length, 1);
});
