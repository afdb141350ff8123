import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type BatchStep, Scheduler } from './scheduler.ts';
import { range } from './scheduler-world.fixture.ts';

const small = { sequences: 4, contextTokens: 64, batchTokens: 16, prefillChunkTokens: 6 };
const prompt = (...tokens: number[]) => Uint32Array.from(tokens);

/** Runs a step and pushes a token for every request whose prompt is complete. */
function runStep(scheduler: Scheduler, token = 1): BatchStep {
  scheduler.admit();
  const step = scheduler.plan();
  assert.ok(step !== null);
  scheduler.advance();
  for (const item of step.items) if (item.sample) scheduler.push(item.requestId, token);
  return step;
}

describe('scheduler', () => {
  test('a prompt alone takes the whole batch, beside a writing request only its chunk', () => {
    const scheduler = new Scheduler(small);
    scheduler.submit({ id: 1, scope: 'a', prompt: range(20), maxTokens: 9 });
    assert.equal(runStep(scheduler).tokens, 16);
    assert.equal(runStep(scheduler).tokens, 4);
    scheduler.submit({ id: 2, scope: 'a', prompt: range(20, 100), maxTokens: 9 });
    const step = runStep(scheduler);
    assert.deepEqual([step.tokens, step.promptTokens], [7, 6]);
    assert.deepEqual(
      step.items.map((item) => item.sample),
      [true, false],
    );
  });

  test('the shortest prompt goes first, and a long one is not passed over for ever', () => {
    const scheduler = new Scheduler(small);
    scheduler.submit({ id: 1, scope: 'a', prompt: range(2), maxTokens: 50 });
    runStep(scheduler);
    scheduler.submit({ id: 2, scope: 'a', prompt: range(40, 1), maxTokens: 9 });
    let stepsWithout = 0;
    for (let id = 3; stepsWithout < 20; id += 1) {
      scheduler.submit({ id, scope: 'a', prompt: range(6, 100 * id), maxTokens: 9 });
      const step = runStep(scheduler);
      if (step.items.some((item) => item.requestId === 2)) break;
      for (const item of step.items) if (item.requestId > 2) scheduler.end(item.requestId);
      stepsWithout += 1;
    }
    assert.equal(stepsWithout, 8);
  });

  test('a finished request leaves its tokens to the next one of its scope, never to another scope', () => {
    const scheduler = new Scheduler(small);
    scheduler.submit({ id: 1, scope: 'a', prompt: prompt(1, 2, 3), maxTokens: 9 });
    runStep(scheduler, 4);
    runStep(scheduler, 5);
    scheduler.end(1);
    scheduler.submit({ id: 2, scope: 'b', prompt: prompt(1, 2, 3, 4, 5), maxTokens: 9 });
    assert.equal(scheduler.admit()[0]?.keep, 0);
    scheduler.submit({ id: 3, scope: 'a', prompt: prompt(1, 2, 3, 4, 9), maxTokens: 9 });
    assert.equal(scheduler.admit()[0]?.keep, 4);
  });

  test('what is lost of a kept prefix is not counted on again, also where its request has ended meanwhile', () => {
    for (const [kept, cancelled] of [
      [2, false],
      [2, true],
      [0, true],
    ] as const) {
      const scheduler = new Scheduler({ ...small, sequences: 1 });
      scheduler.submit({ id: 1, scope: 'a', prompt: prompt(1, 2, 3, 4, 5), maxTokens: 9 });
      runStep(scheduler);
      scheduler.end(1);
      scheduler.submit({ id: 2, scope: 'a', prompt: prompt(1, 2, 3, 4, 9), maxTokens: 9 });
      assert.equal(scheduler.admit()[0]?.keep, 4);
      if (cancelled) scheduler.end(2);
      scheduler.prefixLost(0, kept);
      if (!cancelled) assert.equal(scheduler.plan()?.items[0]?.position, kept);
      else {
        scheduler.submit({ id: 3, scope: 'a', prompt: prompt(1, 2, 3, 4, 9), maxTokens: 9 });
        assert.equal(scheduler.admit()[0]?.keep, kept);
      }
    }
  });

  test('the last prompt token is always evaluated again', () => {
    const scheduler = new Scheduler(small);
    scheduler.submit({ id: 1, scope: 'a', prompt: prompt(1, 2, 3), maxTokens: 9 });
    runStep(scheduler);
    scheduler.end(1);
    scheduler.submit({ id: 2, scope: 'a', prompt: prompt(1, 2, 3), maxTokens: 9 });
    assert.equal(scheduler.admit()[0]?.keep, 2);
  });

  test('a hole among the busy sequences is filled first, and a prefix elsewhere is copied into it', () => {
    const scheduler = new Scheduler({ sequences: 5, contextTokens: 200, batchTokens: 600, prefillChunkTokens: 9 });
    for (const id of [0, 1, 2, 3, 4]) scheduler.submit({ id, scope: 'a', prompt: range(100, id * 1000), maxTokens: 9 });
    runStep(scheduler);
    scheduler.end(4);
    scheduler.end(1);
    scheduler.submit({ id: 5, scope: 'a', prompt: range(100, 4000), maxTokens: 9 });
    assert.deepEqual(scheduler.admit(), [{ requestId: 5, sequence: 1, keep: 99, copyFrom: 4 }]);
  });

  test('a request that ends during its step keeps its sequence until the step is over', () => {
    const scheduler = new Scheduler({ ...small, sequences: 1 });
    scheduler.submit({ id: 1, scope: 'a', prompt: prompt(1, 2), maxTokens: 9 });
    scheduler.admit();
    scheduler.plan();
    assert.equal(scheduler.end(1), true);
    scheduler.submit({ id: 2, scope: 'a', prompt: prompt(1, 2), maxTokens: 9 });
    assert.deepEqual(scheduler.admit(), []);
    scheduler.advance();
    assert.equal(scheduler.admit()[0]?.requestId, 2);
  });

  test('a scope with many requests does not keep another one waiting', () => {
    const scheduler = new Scheduler({ ...small, sequences: 2 });
    for (let id = 1; id <= 6; id += 1) scheduler.submit({ id, scope: 'a', prompt: range(4, id), maxTokens: 9 });
    runStep(scheduler);
    scheduler.submit({ id: 7, scope: 'b', prompt: range(4), maxTokens: 9 });
    scheduler.end(1);
    assert.equal(scheduler.admit()[0]?.requestId, 7);
  });
});

describe('compaction', () => {
  test('a hole that stays is closed by moving the last request into it', () => {
    const scheduler = new Scheduler(small);
    for (const id of [0, 1, 2]) scheduler.submit({ id, scope: 'a', prompt: range(5, id * 1000), maxTokens: 60 });
    runStep(scheduler);
    scheduler.end(1);
    const moves = Array.from({ length: 6 }, () => {
      const move = scheduler.compact();
      runStep(scheduler);
      return move;
    });
    assert.deepEqual(moves, [null, null, null, null, { from: 2, to: 1 }, null]);
    assert.deepEqual(
      runStep(scheduler).items.map((item) => [item.requestId, item.sequence]),
      [
        [0, 0],
        [2, 1],
      ],
    );
  });
});
