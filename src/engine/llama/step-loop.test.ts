import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { StepLoop } from './step-loop.ts';

/** A runner with some steps to do, each of which takes a turn of the event loop. */
function scripted(steps: number) {
  const state = { left: steps, backs: 0, running: false };
  const turn = new StepLoop({
    leaseBack: () => {
      state.backs += 1;
    },
    hasWork: () => state.left > 0,
    run: async (mayGoOn) => {
      state.running = true;
      while (state.left > 0 && mayGoOn()) {
        await nextTurn();
        state.left -= 1;
      }
      state.running = false;
    },
    failed: (error) => {
      throw error;
    },
  });
  return { turn, state };
}

async function until(condition: () => boolean): Promise<void> {
  for (let turns = 0; !condition(); turns += 1) {
    assert.ok(turns < 1000);
    await nextTurn();
  }
}

test('a grant ends with one lease_back when the work is done, at once when there is none', async () => {
  const { turn, state } = scripted(3);
  turn.grant();
  turn.grant();
  await until(() => state.backs === 1);
  assert.equal(state.left, 0);
  turn.grant();
  await until(() => state.backs === 2);
});

test('a yield ends the grant behind the step that runs; one without the lease is ignored', async () => {
  const { turn, state } = scripted(10);
  turn.yield();
  turn.grant();
  await until(() => state.left === 8);
  turn.yield();
  await until(() => state.backs === 1);
  assert.equal(state.left, 7);
  turn.grant();
  await until(() => state.backs === 2);
  assert.equal(state.left, 0);
});

test('end waits for the step that runs, and nothing runs afterwards', async () => {
  const { turn, state } = scripted(10);
  turn.grant();
  await until(() => state.left === 8);
  await turn.end();
  assert.deepEqual([state.running, state.left], [false, 7]);
  turn.grant();
  await nextTurn();
  assert.equal(state.left, 7);
  await scripted(1).turn.end();
});
