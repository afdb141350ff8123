import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createDuties } from './duties.ts';

/** Three duties, every second: one that does not end until it is told to, one that fails, one that is done at once. */
function setUp(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const done: string[] = [];
  const troubles: [string, unknown][] = [];
  const slow = Promise.withResolvers<void>();
  const trouble = new Error('The database is away.');
  const duties = createDuties({
    pauseMs: 1_000,
    duties: {
      slow: async (isStopped) => {
        await slow.promise;
        done.push(isStopped() ? 'slow, cut short' : 'slow');
      },
      failing: async () => {
        throw trouble;
      },
      quick: async () => void done.push('quick'),
    },
    onTrouble: (error, duty) => troubles.push([duty, error]),
  });
  const pass = async (ms: number) => {
    t.mock.timers.tick(ms);
    await nextTurn();
  };
  return { duties, done, troubles, trouble, slow, pass };
}

test('a duty has its turns while another takes its time and a third one fails', async (t) => {
  const { duties, done, troubles, trouble, pass } = setUp(t);
  duties.start();
  assert.deepEqual(done, []);
  await pass(1_000);
  await pass(1_000);
  assert.deepEqual(done, ['quick', 'quick']);
  assert.deepEqual(troubles, [
    ['failing', trouble],
    ['failing', trouble],
  ]);
});

test('a duty under way is told that the process ends, and waited for', async (t) => {
  const { duties, done, slow, pass } = setUp(t);
  duties.start();
  await pass(1_000);
  const stopped = duties.stop().then(() => done.push('stopped'));
  await pass(5_000);
  slow.resolve();
  await stopped;
  assert.deepEqual(done, ['quick', 'slow, cut short', 'stopped']);
});

test('who has all duties done at once waits for all of them, and is told of a failure', async (t) => {
  const { duties, done, trouble, slow } = setUp(t);
  const tended = duties.tend();
  await nextTurn();
  assert.deepEqual(done, ['quick']);
  slow.resolve();
  await assert.rejects(tended, trouble);
  assert.deepEqual(done, ['quick', 'slow']);
});
