import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createIntervalTasks } from './interval-task.ts';

/** Three tasks, every second: one that does not end until it is told to, one that fails, one that is done at once. */
function setUp(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const done: string[] = [];
  const errors: [string, unknown][] = [];
  const slow = Promise.withResolvers<void>();
  const failure = new Error('The database is away.');
  const tasks = createIntervalTasks({
    pauseMs: 1_000,
    tasks: {
      slow: async (isStopped) => {
        await slow.promise;
        done.push(isStopped() ? 'slow, cut short' : 'slow');
      },
      failing: async () => {
        throw failure;
      },
      quick: async () => void done.push('quick'),
    },
    onError: (error, task) => errors.push([task, error]),
  });
  const pass = async (ms: number) => {
    t.mock.timers.tick(ms);
    await nextTurn();
  };
  return { tasks, done, errors, failure, slow, pass };
}

test('a task runs while another takes its time and a third one fails', async (t) => {
  const { tasks, done, errors, failure, pass } = setUp(t);
  tasks.start();
  assert.deepEqual(done, []);
  await pass(1_000);
  await pass(1_000);
  assert.deepEqual(done, ['quick', 'quick']);
  assert.deepEqual(errors, [
    ['failing', failure],
    ['failing', failure],
  ]);
});

test('a running task sees that the process stops, and is waited for', async (t) => {
  const { tasks, done, slow, pass } = setUp(t);
  tasks.start();
  await pass(1_000);
  const stopped = tasks.stop().then(() => done.push('stopped'));
  await pass(5_000);
  slow.resolve();
  await stopped;
  assert.deepEqual(done, ['quick', 'slow, cut short', 'stopped']);
});

test('running all tasks waits for all of them, and rejects with a failure', async (t) => {
  const { tasks, done, failure, slow } = setUp(t);
  const all = tasks.runAll();
  await nextTurn();
  assert.deepEqual(done, ['quick']);
  slow.resolve();
  await assert.rejects(all, failure);
  assert.deepEqual(done, ['quick', 'slow']);
});
