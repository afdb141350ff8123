import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createRounds } from './rounds.ts';

/** Rounds of 1 s, each of which lasts until it is told how it ended. */
function setUp(t: TestContext, first: 'at once' | 'after a pause' = 'after a pause') {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const ends: PromiseWithResolvers<void>[] = [];
  const troubles: unknown[] = [];
  const rounds = createRounds({
    pauseMs: 1_000,
    first,
    work: () => {
      const end = Promise.withResolvers<void>();
      ends.push(end);
      return end.promise;
    },
    onTrouble: (error) => troubles.push(error),
  });
  const pass = async (ms: number) => {
    t.mock.timers.tick(ms);
    await nextTurn();
  };
  return { rounds, ends, troubles, pass };
}

test('a round that takes long is alone, and the next one comes a pause after its end', async (t) => {
  const { rounds, ends, pass } = setUp(t);
  rounds.start();
  rounds.start();
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

test('what a round fails with is told, and the next one comes nevertheless', async (t) => {
  const { rounds, ends, troubles, pass } = setUp(t, 'at once');
  rounds.start();
  const trouble = new Error('The database is away.');
  ends[0]?.reject(trouble);
  await pass(0);
  await pass(1_000);
  assert.deepEqual([ends.length, troubles], [2, [trouble]]);
});

test('who stops waits for the round under way, and no other begins', async (t) => {
  const { rounds, ends, pass } = setUp(t, 'at once');
  rounds.start();
  let isStopped = false;
  const stopped = rounds.stop().then(() => {
    isStopped = true;
  });
  await pass(5_000);
  assert.equal(isStopped, false);
  ends[0]?.resolve();
  await stopped;
  await pass(5_000);
  assert.equal(ends.length, 1);
});

test('rounds that have nothing to do rest, and come a pause after they were woken', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const state = { isNeeded: false, rounds: 0 };
  const work = async () => {
    state.rounds += 1;
  };
  const isNeeded = () => state.isNeeded;
  const rounds = createRounds({ pauseMs: 1_000, first: 'after a pause', work, onTrouble: assert.ifError, isNeeded });
  const pass = async (ms: number) => {
    t.mock.timers.tick(ms);
    await nextTurn();
  };
  rounds.wake();
  rounds.start();
  await pass(5_000);
  rounds.wake();
  await pass(5_000);
  assert.equal(state.rounds, 0);

  state.isNeeded = true;
  rounds.wake();
  rounds.wake();
  await pass(999);
  assert.equal(state.rounds, 0);
  await pass(1);
  await pass(1_000);
  assert.equal(state.rounds, 2);

  state.isNeeded = false;
  await pass(1_000);
  await pass(5_000);
  assert.equal(state.rounds, 3, 'the one that had been waited for');

  await rounds.stop();
  state.isNeeded = true;
  rounds.wake();
  await pass(5_000);
  assert.equal(state.rounds, 3, 'stopped');
});
