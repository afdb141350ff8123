import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Scheduler } from './scheduler.ts';

const roomy = { sequences: 8, contextTokens: 600, batchTokens: 600, prefillChunkTokens: 9 };
const range = (count: number, from = 0) => Uint32Array.from({ length: count }, (_, i) => from + i);

/** Runs a step and pushes a token for every request whose prompt is complete. */
function step(scheduler: Scheduler): void {
  const planned = scheduler.plan();
  assert.ok(planned !== null);
  scheduler.advance();
  for (const item of planned.items) if (item.sample) scheduler.push(item.requestId, 5);
}

/** One request from its arrival to its end, alone. */
function ask(scheduler: Scheduler, prompt: Uint32Array, { written = 3 } = {}) {
  const requestId = 99;
  scheduler.submit({ id: requestId, scope: 'a', prompt, maxTokens: 600 });
  const [admission] = scheduler.admit();
  assert.ok(admission !== undefined);
  for (let steps = 0; steps < written; steps += 1) step(scheduler);
  scheduler.end(requestId);
  const { sequence, keep, copyFrom } = admission;
  return { sequence, keep, copyFrom };
}

describe('cached conversations', () => {
  test('two conversations of one scope that take turns both stay cached, however alike they begin', () => {
    const scheduler = new Scheduler(roomy);
    const prompts = [10_000, 20_000].map((from) => Uint32Array.of(1, 2, 3, ...range(486, from)));
    const kept = [0, 1, 0, 1, 0, 1].map((which) => ask(scheduler, prompts[which] ?? range(1)));
    assert.deepEqual(
      kept.map(({ sequence, keep, copyFrom }) => [sequence, keep, copyFrom]),
      [
        [0, 0, null],
        [1, 0, null],
        [0, 488, null],
        [1, 488, null],
        [0, 488, null],
        [1, 488, null],
      ],
    );
  });

  test('the turns of one conversation stay in its sequence, though each goes without the reasoning before it', () => {
    const scheduler = new Scheduler(roomy);
    const other = range(300, 9_000);
    assert.equal(ask(scheduler, other).sequence, 0);
    // The opening of the answer, in which the reasoning begins, is of no use to the next turn.
    let conversation = range(120);
    for (let turn = 0; turn < 12; turn += 1) {
      const { sequence, keep, copyFrom } = ask(scheduler, Uint32Array.of(...conversation, 7, 8), { written: 90 });
      assert.deepEqual([sequence, copyFrom], [1, null]);
      assert.equal(keep, turn === 0 ? 0 : conversation.length - 30);
      conversation = Uint32Array.of(...conversation, ...range(30, 1_000 * turn + 1_000));
    }
    assert.deepEqual(ask(scheduler, other), { sequence: 0, keep: 299, copyFrom: null });
  });

  test('questions after one long beginning share a sequence when short, and are kept beside each other when long', () => {
    const scheduler = new Scheduler(roomy);
    const question = (tokens: number, from: number) => Uint32Array.of(...range(200), ...range(tokens, from));
    ask(scheduler, question(20, 1_000));
    assert.deepEqual(ask(scheduler, question(20, 2_000)), { sequence: 0, keep: 200, copyFrom: null });
    assert.deepEqual(ask(scheduler, question(100, 3_000)), { sequence: 0, keep: 200, copyFrom: null });
    assert.deepEqual(ask(scheduler, question(100, 4_000)), { sequence: 1, keep: 200, copyFrom: 0 });
    assert.deepEqual(ask(scheduler, question(100, 3_000)), { sequence: 0, keep: 299, copyFrom: null });
  });

  test('of nine conversations on eight sequences the least recently used one is dropped', () => {
    const scheduler = new Scheduler(roomy);
    const prompts = Array.from({ length: 9 }, (_, i) => Uint32Array.of(1, 2, 3, ...range(100, 1_000 * (i + 1))));
    const keep = (which: number) => ask(scheduler, prompts[which] ?? range(1)).keep;
    for (let which = 0; which < 8; which += 1) assert.equal(keep(which), 0);
    assert.equal(keep(0), 102);
    assert.equal(keep(8), 3, 'the opening that all share is all that was of use');
    for (const which of [0, 2, 3, 4, 5, 6, 7, 8]) assert.equal(keep(which), 102);
    assert.equal(keep(1), 3, 'the second had waited longest');
  });

  test('a request that was moved leaves no second copy behind, for which another conversation would be dropped', () => {
    const scheduler = new Scheduler(roomy);
    for (const id of [0, 1, 2, 3]) {
      scheduler.submit({ id, scope: 'a', prompt: range(100, id * 1_000), maxTokens: 300 });
      scheduler.admit();
    }
    step(scheduler);
    scheduler.end(3);
    scheduler.end(1);
    let move = scheduler.compact();
    for (let steps = 0; move === null && steps < 9; steps += 1) {
      step(scheduler);
      move = scheduler.compact();
    }
    assert.deepEqual(move, { from: 2, to: 1 });
    scheduler.end(0);
    scheduler.end(2);
    const others = [1, 2, 3, 4, 5].map((id) => ask(scheduler, range(100, id * 10_000)).sequence);
    assert.deepEqual(others, [4, 5, 6, 7, 2]);
    for (const [sequence, id] of [0, 2, null, 3].entries()) {
      if (id !== null) assert.deepEqual(ask(scheduler, range(100, id * 1_000)), { sequence, keep: 99, copyFrom: null });
    }
  });
});
