import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SchedulerWorld } from './scheduler-world.fixture.ts';

describe('scheduler in simulation', () => {
  const seeds = 200;
  test(`${seeds} seeds of bursts, cancels and failures: dense ordered batches, budgets kept, nobody starves, one end each`, () => {
    let kept = 0;
    let copies = 0;
    let moves = 0;
    for (let seed = 1; seed <= seeds; seed += 1) {
      try {
        const world = new SchedulerWorld(seed);
        for (let tick = 0; tick < 150; tick += 1) world.tick(false);
        for (let tick = 0; world.liveRequests > 0; tick += 1) {
          assert.ok(tick < 20_000, 'all requests end');
          world.tick(true);
        }
        assert.deepEqual([...world.ends.values()], Array(world.submitted).fill(1));
        kept += world.keptTokens;
        copies += world.copies;
        moves += world.moves;
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error });
      }
    }
    assert.ok(kept > 10_000 && copies > 10 && moves > 10, 'the runs did share prefixes');
  });
});
